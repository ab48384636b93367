// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Datarep: how values are represented in a file: as in memory (native, internal), as external32 says, or as a user's
// functions do it.
//
// Thread safety: immutable; calls that convert run on a thread of the user, never on the library's own.
// Invariants: file_bytes does not change; convert calls get whole values.
// Source: MPI-5.0, chapter 14.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::io {

/// How much of a sequence of elements the first bytes of it in a file are.
struct Portion {
  std::int64_t file_bytes = 0;
  std::int64_t values = 0;        ///< whole entries of the typemap
  std::int64_t memory_bytes = 0;  ///< what these take in memory
};

class Datarep {
 public:
  explicit Datarep(std::string name) : name_(std::move(name)) {}
  virtual ~Datarep() = default;
  Datarep(const Datarep&) = delete;
  Datarep& operator=(const Datarep&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The bytes in the file are those in memory: nothing to convert, and every type keeps its extent.
  [[nodiscard]] virtual bool is_native() const noexcept = 0;
  /// Bytes that one value takes in the file.
  [[nodiscard]] virtual Result<std::int64_t> file_bytes(const datatype::Datatype& predefined) const = 0;
  /// Packs count elements of a type as they stand in the file, side by side.
  virtual Status to_file(const void* buffer, std::int64_t count, const datatype::Datatype& type,
                         std::byte* file) const = 0;
  /// Unpacks a portion of elements of a type.
  virtual Status from_file(const std::byte* file, const Portion& portion, void* buffer,
                           const datatype::Datatype& type) const = 0;

 private:
  std::string name_;
};

using DatarepRef = std::shared_ptr<const Datarep>;

/// "native", "internal", "external32", or null.
[[nodiscard]] DatarepRef predefined_datarep(std::string_view name);

}  // namespace starling::io
