// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Journal: what Output has taken, on disk, so that a killed run can go on. One record for each result is written when
// Output returns; it survives the process at once and the machine after the next sync, once a second.
//
// Layout: 16 bytes of kMagic, then records of 32 bytes: piece, part (task/task_name.hpp), mark, check (a hash of the
// three). A torn record at the end was never written as far as a later run is concerned. Thread safety: one thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <starling/farm/options.hpp>
#include <string>

#include "task/task.hpp"
#include "task/task_name.hpp"

namespace starling::farm {

class Journal {
 public:
  Journal() = default;
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// kFresh refuses a journal that has records. kResume calls `each` for every record and goes on behind the last.
  /// Throws std::runtime_error, as the others.
  void open(const std::string& path, Start start,
            const std::function<void(const TaskName& name, std::uint64_t mark)>& each);
  bool is_open() const { return file_ >= 0; }
  /// Cuts off what could not be written whole before it throws.
  void note(const TaskName& name, std::uint64_t mark);
  void sync();

 private:
  std::uint64_t replay(const std::function<void(const TaskName&, std::uint64_t)>& each);
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;
  int file_ = -1;
  std::uint64_t end_ = 0;
  Clock::time_point synced_ = Clock::now();
};

}  // namespace starling::farm
