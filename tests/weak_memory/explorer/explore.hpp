// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// explore(): goes through every execution that the C++ memory model permits of a few threads that run the product's own
// code, compiled as it stands. survivors(): does so with each memory order made weaker, one after the other, and tells
// which of these changes nothing noticed.
// Thread safety: none; one model at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weak_memory/explorer/step.hpp"

namespace starling::weak {

/// What one execution is made of. Built anew for each, outside of the simulated memory: what is there then, all threads
/// know.
class Execution {
 public:
  Execution() = default;
  ~Execution() {
    while (!destroy_.empty()) {
      destroy_.back()();
      destroy_.pop_back();
    }
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// An object for the threads, at the same address in each execution.
  template <typename T, typename... Arguments>
  T& make(Arguments&&... arguments) {
    T* made = new (room_for(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
    destroy_.push_back([made] { made->~T(); });
    return *made;
  }
  void thread(std::string name, std::function<void()> body) { threads.emplace_back(std::move(name), std::move(body)); }
  /// Checks what is there when all threads have ended.
  void at_end(std::function<void()> check) { end = std::move(check); }
  /// Plain accesses to this memory are judged, and what is written there is undone behind each execution.
  void share(void* begin, std::size_t bytes) { shared.emplace_back(begin, bytes); }
  template <typename T>
  void share(T& object) {
    share(&object, sizeof object);
  }
  /// What reports and sites call an atomic object.
  void name(const void* object, std::string label) { names[object] = std::move(label); }

  /// An atomic number by which nothing is decided that the model is about: it makes no steps.
  void leave_out(const void* object) { left_out.insert(object); }

  std::vector<std::pair<std::string, std::function<void()>>> threads;
  std::function<void()> end;
  std::vector<std::pair<void*, std::size_t>> shared;
  std::unordered_map<const void*, std::string> names;
  std::set<const void*> left_out;

 private:
  void* room_for(std::size_t bytes, std::size_t alignment);

  std::size_t used_ = 0;  ///< of the memory that each execution has anew
  std::vector<std::function<void()>> destroy_;
};
using Model = std::function<void(Execution&)>;

/// Where an order is asked for: of which named object or thread, by what, which.
struct Site {
  std::string what;
  Kind kind = Kind::kLoad;
  Order order = Order::kRelaxed;
  auto operator<=>(const Site& other) const {
    return std::tie(what, kind, order) <=> std::tie(other.what, other.kind, other.order);
  }
  bool operator==(const Site& other) const = default;
};
/// Another order there; none: no fence at all.
struct Change {
  Site site;
  std::optional<Order> to;
};
[[nodiscard]] std::string text_of(const Change& change);

struct Options {
  bool membarrier = true;  ///< false: the kernel refuses it
  std::uint64_t most_executions = 5'000'000;
  std::optional<Change> change;
};

struct Explored {
  std::uint64_t executions = 0;  ///< that differ
  std::uint64_t known = 0;       ///< left half-way, as they differ from none of these
  std::string wrong;             ///< empty: nothing; else what, and how it comes about
  std::set<Site> sites;
};
[[nodiscard]] Explored explore(const Model& model, const Options& options = {});

/// The changes that leave the model right, of those at the sites that it has come across.
[[nodiscard]] std::vector<std::string> survivors(const Model& model, const std::set<Site>& sites,
                                                 const Options& options = {});

// By the threads of a model.
/// Nothing was there: goes on when something that the thread has looked at since the last time is new.
void look_again();
void require(bool good, const char* what);

}  // namespace starling::weak
