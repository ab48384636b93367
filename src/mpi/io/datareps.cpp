// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Data representations that a program registers. Source: MPI-5.0, chapter 14.5.3.
#include <algorithm>
#include <limits>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "base/status.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/io/files.hpp"

namespace starling::mpi {
namespace {

/// What both forms of the call register. One of the two functions of a direction, or none: then nothing is converted.
struct DatarepFunctions {
  MPI_Datarep_conversion_function* read = nullptr;
  MPI_Datarep_conversion_function_c* read_large = nullptr;
  MPI_Datarep_conversion_function* write = nullptr;
  MPI_Datarep_conversion_function_c* write_large = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;
};

class UserDatarep final : public io::Datarep {
 public:
  UserDatarep(std::string name, const DatarepFunctions& functions) : Datarep(std::move(name)), functions_(functions) {}

  [[nodiscard]] bool is_native() const noexcept override { return false; }

  [[nodiscard]] Result<std::int64_t> file_bytes(const datatype::Datatype& predefined) const override {
    MPI_Aint extent = 0;
    const int code =
        functions_.extent(static_cast<MPI_Datatype>(predefined.user_handle()), &extent, functions_.extra_state);
    if (code == MPI_SUCCESS && extent >= 0) return static_cast<std::int64_t>(extent);
    return failed("dtype_file_extent_fn");
  }

  Status to_file(const void* buffer, std::int64_t count, const datatype::Datatype& type,
                 std::byte* file) const override {
    if (functions_.write == nullptr && functions_.write_large == nullptr) {
      datatype::PackCursor cursor(type, buffer, count);
      cursor.pack(file, static_cast<std::size_t>(cursor.total()));
      return {};
    }
    return convert(functions_.write, functions_.write_large, const_cast<void*>(buffer), type,
                   count * type.element_count(), file, "write_conversion_fn");
  }

  Status from_file(const std::byte* file, const io::Portion& portion, void* buffer,
                   const datatype::Datatype& type) const override {
    if (functions_.read == nullptr && functions_.read_large == nullptr) {
      const std::int64_t count = (portion.memory_bytes + type.size() - 1) / type.size();
      datatype::UnpackCursor(type, buffer, count).unpack(file, static_cast<std::size_t>(portion.memory_bytes));
      return {};
    }
    return convert(functions_.read, functions_.read_large, buffer, type, portion.values, const_cast<std::byte*>(file),
                   "read_conversion_fn");
  }

 private:
  [[nodiscard]] Status failed(const char* function) const {
    return Status::error(ErrorClass::kConversion,
                         formatted("{} of the data representation \"{}\" failed", function, name()));
  }

  Status convert(MPI_Datarep_conversion_function* small, MPI_Datarep_conversion_function_c* large, void* buffer,
                 const datatype::Datatype& type, std::int64_t values, std::byte* file, const char* function) const {
    if (values == 0) return {};
    Context& context = *current();
    Result<MPI_Datatype> handle = share_type(context, type);
    if (!handle.ok()) return std::move(handle).status();
    int code = MPI_SUCCESS;
    if (large != nullptr) {
      code = large(buffer, handle.value(), values, file, 0, functions_.extra_state);
    } else {
      code = in_slices(small, buffer, handle.value(), values, file);
    }
    if (!type.is_predefined()) context.types.erase(handle.value());
    return code == MPI_SUCCESS ? Status() : failed(function);
  }

  /// The small form counts in int; its position says where a slice begins. Only a type of one basic type can be that
  /// long and be cut without knowing how wide each of its values is.
  int in_slices(MPI_Datarep_conversion_function* function, void* buffer, MPI_Datatype type, std::int64_t values,
                std::byte* file) const {
    constexpr std::int64_t kSlice = std::numeric_limits<int>::max();
    const datatype::Basic basic = current()->datatype(type)->basic();
    if (values > kSlice && basic == datatype::Basic::kNone) return MPI_ERR_CONVERSION;
    Result<std::int64_t> width = values > kSlice ? file_bytes(datatype::predefined(basic)) : std::int64_t{0};
    if (!width.ok()) return MPI_ERR_CONVERSION;
    for (std::int64_t done = 0; done < values; done += kSlice) {
      const auto now = static_cast<int>(std::min(values - done, kSlice));
      const int code = function(buffer, type, now, file + done * width.value(), done, functions_.extra_state);
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

  DatarepFunctions functions_;
};

int register_functions(const char* name, const DatarepFunctions& functions) {
  Context& context = *current();
  const std::string text(name);
  if (text.empty() || text.size() >= MPI_MAX_DATAREP_STRING) {
    return fail(Status::error(ErrorClass::kArg, formatted("datarep has {} characters; it must have 1 to {}",
                                                          text.size(), MPI_MAX_DATAREP_STRING - 1)));
  }
  if (functions.extent == nullptr) {
    return fail(Status::error(ErrorClass::kArg, "dtype_file_extent_fn is a null pointer; pass a function"));
  }
  if (io::predefined_datarep(text) || context.datareps->registered.count(text) != 0) {
    return fail(Status::error(ErrorClass::kDupDatarep,
                              formatted("there is a data representation \"{}\" already; choose another name", text)));
  }
  context.datareps->registered.emplace(text, std::make_shared<UserDatarep>(text, functions));
  return MPI_SUCCESS;
}

}  // namespace

int register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                     MPI_Datarep_conversion_function* write_conversion_fn,
                     MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  return register_functions(
      datarep, {read_conversion_fn, nullptr, write_conversion_fn, nullptr, dtype_file_extent_fn, extra_state});
}

int register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn,
                       MPI_Datarep_conversion_function_c* write_conversion_fn,
                       MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  return register_functions(
      datarep, {nullptr, read_conversion_fn, nullptr, write_conversion_fn, dtype_file_extent_fn, extra_state});
}

}  // namespace starling::mpi
