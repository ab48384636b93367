// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Results: delivers values to where the program wants them: futures, methods, broadcasts, functions.
//
// **Thread safety**: none. **Invariants**: a value that comes for a future wakes all coroutines that wait for it.
#pragma once

#include "executor.hpp"
#include "futures.hpp"
#include "population/arrays.hpp"

namespace starling::array::detail {

class Results {
 public:
  Results(Host& host, Arrays& arrays, Futures& futures, Executor& executor)
      : host_(host), arrays_(arrays), futures_(futures), executor_(executor) {}

  /// A packed value.
  void call_back(const Callback& to, const char* bytes, std::size_t size);
  /// To a future of any process; the text of an error, or a packed value.
  void reply(const ReplyTo& to, const char* bytes, std::size_t size, bool is_error);
  void handle_reply(const Record& record);
  /// A packed value for a function of this process.
  void handle_function(const Record& record);

 private:
  bool is_process(int rank, const char* what);

  Host& host_;
  Arrays& arrays_;
  Futures& futures_;
  Executor& executor_;
};

}  // namespace starling::array::detail
