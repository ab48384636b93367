// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Extension: state that a higher layer keeps with a communicator or with connected jobs, and that dies with it. Thread
// safety: its own.
#pragma once

namespace starling::comm {

class Extension {
 public:
  virtual ~Extension() = default;
};

}  // namespace starling::comm
