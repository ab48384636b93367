// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Survival: checkpoints in memory, and how a run goes on when processes die.
//
// A checkpoint has a number. Each process packs its elements, keeps the bytes and gives a copy to its buddy, the next
// process; main's own state goes to all. An older one is dropped only when everybody has the newer one whole. After a
// death the living agree on that, make a communicator without the dead, go back to the newest checkpoint that all of
// them have, each buddy with the elements of the dead beside its own, take a new one, and main is called anew. A death
// meanwhile begins this again, from the same checkpoint.
//
// **Thread safety**: none. **Invariants**: nothing of the time before a loss survives it but checkpoints: arrays,
// futures and the wire begin anew; a process is known by its rank in the communicator that had no fewer. Limits: a
// process and its buddy must not die between two checkpoints. Needs an MPI with agreement and shrinking
// (MPIX_Comm_agree). Source: G. Zheng, L. Shi, L. Kale, FTC-Charm++: An In-Memory Checkpoint-Based Fault Tolerant
// Runtime, Cluster 2004.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "element/host.hpp"
#include "memory_checkpoints.hpp"
#include "runtime.hpp"

namespace starling::array::detail {

class Arrays;

class Survival {
 public:
  Survival(Host& host, Arrays& arrays, Runtime& runtime) : host_(host), arrays_(arrays), runtime_(runtime) {}

  /// All processes, before run(). False where the job does not go on when a process dies.
  bool begin();
  bool is_on() const { return is_on_; }
  std::uint32_t runs() const { return run_; }
  /// Runs `main` as Runtime::run_once() does, as often as it takes.
  void run(const std::function<void()>& main);
  /// With other processes, between runs: what is kept is put aside until they have a checkpoint of their own and all
  /// have agreed that they go on; else they go back.
  void begin_with_others(bool is_on, std::uint32_t runs);
  /// Collective: their first checkpoint. Throws Loss, or what an element's serialize does.
  void take_first();
  void go_on_with_others() { aside_.reset(); }
  /// All that live, on the communicator from before, which may have no others than before: to the last checkpoint.
  void go_back();
  /// Process 0, from main.
  void remember(const char* state, std::size_t size);
  /// What main remembered before the loss that it goes on from; null where it begins.
  const std::vector<char>* recall() const;
  void handle(const Record& record);

 private:
  using Mark = MemoryCheckpoints::Mark;
  using Generation = MemoryCheckpoints::Generation;
  enum class Step : std::uint8_t { kTake, kCopy, kDone, kDrop };

  char* post(int to, Step step, const Mark& mark, std::size_t size);
  void take_everywhere(const char* state, std::size_t size, bool run_is_over);
  void take(const Mark& mark, const char* state, std::size_t size);
  void done(const Mark& mark, const std::string& trouble);
  bool all_are_well(bool well);
  void recover();
  bool restore(std::string& trouble);
  bool find_newest(std::uint32_t& number, std::vector<std::int32_t>& living) const;
  std::string adopt(const Generation& generation, const std::vector<std::int32_t>& living);
  bool take_together(const Generation& from, const std::vector<std::int32_t>& living);
  std::vector<char> pack() const;
  void unpack(const std::vector<char>& bytes);

  Host& host_;
  Arrays& arrays_;
  Runtime& runtime_;
  bool is_on_ = false;
  MemoryCheckpoints kept_;
  std::optional<MemoryCheckpoints> aside_;  // with other processes: of those from before
  std::uint32_t run_ = 0;
  std::uint32_t restored_ = 0;  // the checkpoint that this attempt goes on from
  // At process 0, while one is taken.
  int answers_ = 0;
  std::string trouble_;
};

}  // namespace starling::array::detail
