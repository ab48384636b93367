// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallText: the text of a call with its arguments, "MPI_Send(buf=0x7ffc10, count=-1, datatype=MPI_INT, dest=3, ...)".
//
// Only the cold path of an error builds one. Predefined handles and sentinels appear by name, others by address.
// Thread safety: a value type, no shared state.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "mpi/boundary/counts.hpp"

namespace starling::mpi {

class CallText {
 public:
  explicit CallText(std::string_view function) : text_(function) { text_ += '('; }

  void add(std::string_view name, MPI_Count value);
  void add(std::string_view name, int value) { add(name, static_cast<MPI_Count>(value)); }
  void add(std::string_view name, const void* pointer);
  void add(std::string_view name, const char* string);
  void add(std::string_view name, MPI_Comm handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Datatype handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Errhandler handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_File handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Group handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Info handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Message handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Op handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Request handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Session handle) { add_handle(name, handle); }
  void add(std::string_view name, MPI_Win handle) { add_handle(name, handle); }
  void add_buffer(std::string_view name, const void* buffer);  ///< knows MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC
  void add_rank(std::string_view name, int rank);              ///< knows MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ROOT
  void add_tag(std::string_view name, int tag);                ///< knows MPI_ANY_TAG

  /// The text with its closing bracket.
  [[nodiscard]] std::string finish() &&;

 private:
  void begin(std::string_view name);
  void add_handle(std::string_view name, const void* handle);

  std::string text_;
};

}  // namespace starling::mpi
