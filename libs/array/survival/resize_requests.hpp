// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ResizeRequests: the ear of process 0 for what other programs of the machine, as `starling resize`, ask of the session
// (observe/resize_address.hpp). Nobody listens in between: a question waits in the system until take() comes.
//
// **Thread safety**: none. **Invariants**: whoever asked gets one answer, or sees the socket closed. Only root and the
// user of this process are heard.
#pragma once

#include <string>

#include "base/descriptor.hpp"

namespace starling::array::detail {

class ResizeRequests {
 public:
  bool is_listening() const { return ear_.valid(); }
  /// Throws Error where this process has an ear already.
  void listen();
  /// The number of processes that the first who waits wants; 0: nobody waits. He hears answer() next.
  int take();
  void done(const std::string& sentence);
  void refuse(const std::string& sentence);

 private:
  int read_number();
  void answer(char verdict, const std::string& sentence);

  Descriptor ear_;
  Descriptor asking_;
};

}  // namespace starling::array::detail
