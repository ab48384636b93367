// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NameRegistry: names that jobs of one user publish for each other (MPI_Publish_name), on one machine or on those that
// share the folder. A name is a small file in a folder of the user's; its publisher holds a lock on it as long as the
// name is published. The kernel releases the lock of a process that died, so its names count as not published, and the
// next process that finds the file removes it.
//
// Thread safety: the caller's lock. Invariants: a file in the folder is complete and was locked when it appeared.
#pragma once

#include <map>
#include <string>

#include "base/status.hpp"
#include "memory/kept_file.hpp"

namespace starling::bootstrap {

class NameRegistry {
 public:
  /// folder: where the names lie; empty: the user's own, in XDG_RUNTIME_DIR or else /tmp.
  explicit NameRegistry(std::string folder = {});
  ~NameRegistry() { withdraw(); }
  NameRegistry(const NameRegistry&) = delete;
  NameRegistry& operator=(const NameRegistry&) = delete;

  /// kService when the name is published already.
  Status publish(const std::string& name, const std::string& text);
  /// kService when this process has not published the name.
  Status unpublish(const std::string& name);
  /// Takes back all that this process has published.
  void withdraw() noexcept;
  /// kName when no process has published the name.
  [[nodiscard]] Result<std::string> look_up(const std::string& name) const;

 private:
  [[nodiscard]] std::string file_of(const std::string& name) const;

  std::string folder_;
  std::map<std::string, memory::KeptFile> published_;
};

}  // namespace starling::bootstrap
