// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/datarep.hpp"

#include <algorithm>
#include <vector>

#include "datatype/pack/external32.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::io {
namespace {

/// native, and internal, which here is the same: all ranks of a job run on one kind of machine.
class NativeDatarep final : public Datarep {
 public:
  using Datarep::Datarep;

  [[nodiscard]] bool is_native() const noexcept override { return true; }
  [[nodiscard]] Result<std::int64_t> file_bytes(const datatype::Datatype& predefined) const override {
    return predefined.extent();
  }
  Status to_file(const void* buffer, std::int64_t count, const datatype::Datatype& type,
                 std::byte* file) const override {
    datatype::PackCursor cursor(type, buffer, count);
    cursor.pack(file, static_cast<std::size_t>(cursor.total()));
    return {};
  }
  Status from_file(const std::byte* file, const Portion& portion, void* buffer,
                   const datatype::Datatype& type) const override {
    const std::int64_t count = type.size() == 0 ? 0 : (portion.memory_bytes + type.size() - 1) / type.size();
    datatype::UnpackCursor(type, buffer, count).unpack(file, static_cast<std::size_t>(portion.memory_bytes));
    return {};
  }
};

class External32Datarep final : public Datarep {
 public:
  External32Datarep() : Datarep("external32") {}

  [[nodiscard]] bool is_native() const noexcept override { return false; }
  [[nodiscard]] Result<std::int64_t> file_bytes(const datatype::Datatype& predefined) const override {
    return datatype::external32_bytes(1, predefined);
  }
  Status to_file(const void* buffer, std::int64_t count, const datatype::Datatype& type,
                 std::byte* file) const override {
    return datatype::external32_pack(buffer, count, type, file);
  }
  Status from_file(const std::byte* file, const Portion& portion, void* buffer,
                   const datatype::Datatype& type) const override {
    Result<std::int64_t> each = datatype::external32_bytes(1, type);
    if (!each.ok()) return std::move(each).status();
    if (each.value() == 0) return {};
    const std::int64_t whole = portion.file_bytes / each.value();
    STARLING_TRY(datatype::external32_unpack(file, buffer, whole, type));
    const std::int64_t left = portion.memory_bytes - whole * type.size();
    if (left == 0) return {};
    return unpack_begun(file + whole * each.value(), portion.file_bytes - whole * each.value(), each.value(), left,
                        static_cast<std::byte*>(buffer) + whole * type.extent(), type);
  }

 private:
  /// The first values of an element that the file holds only in part: the whole element, with zeros for what is not
  /// there, is unpacked elsewhere, and of it what is there goes to the user.
  static Status unpack_begun(const std::byte* file, std::int64_t file_bytes, std::int64_t all_file_bytes,
                             std::int64_t memory_bytes, std::byte* element, const datatype::Datatype& type) {
    std::vector<std::byte> in_file(static_cast<std::size_t>(all_file_bytes));
    std::copy_n(file, file_bytes, in_file.begin());
    std::vector<std::byte> memory(static_cast<std::size_t>(type.true_extent()));
    std::byte* base = memory.data() - type.true_lb();
    STARLING_TRY(datatype::external32_unpack(in_file.data(), base, 1, type));
    std::vector<std::byte> packed(static_cast<std::size_t>(memory_bytes));
    datatype::PackCursor(type, base, 1).pack(packed.data(), packed.size());
    datatype::UnpackCursor(type, element, 1).unpack(packed.data(), packed.size());
    return {};
  }
};

}  // namespace

DatarepRef predefined_datarep(std::string_view name) {
  static const DatarepRef native = std::make_shared<NativeDatarep>("native");
  static const DatarepRef internal = std::make_shared<NativeDatarep>("internal");
  static const DatarepRef external32 = std::make_shared<External32Datarep>();
  if (name == "native") return native;
  if (name == "internal") return internal;
  if (name == "external32") return external32;
  return nullptr;
}

}  // namespace starling::io
