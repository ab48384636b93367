// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A file for one case: a name in a new temporary folder that all ranks agree on, and nothing left behind.
// Thread safety: one object for each rank; construction and destruction are collective over world.comm.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"
#include "support/pattern.hpp"

/// A call on a file must succeed: files return errors by default, so nobody else notices.
#define OK(call) CHECK_EQ(starling::tests::trouble(call), std::string())
/// A call must fail with this class.
#define FAILS(call, error_class) CHECK_EQ(starling::tests::class_of(call), error_class)

namespace starling::tests {

/// What went wrong, or nothing.
inline std::string trouble(int code) { return code == MPI_SUCCESS ? std::string() : text_of(code); }

class ScratchFile {
 public:
  explicit ScratchFile(const Context& world) : comm_(world.comm), rank_(world.rank) {
    char folder[64] = "/tmp/starling-io-XXXXXX";
    if (rank_ == 0 && mkdtemp(folder) == nullptr) std::perror("mkdtemp");
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, comm_);
    folder_ = folder;
    path_ = folder_ + "/file";
  }
  ~ScratchFile() {
    MPI_Barrier(comm_);
    if (rank_ == 0) {
      unlink(path_.c_str());
      rmdir(folder_.c_str());
    }
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const char* path() const { return path_.c_str(); }
  [[nodiscard]] bool exists() const { return access(path(), F_OK) == 0; }

  [[nodiscard]] MPI_File open(int amode = MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_Info info = MPI_INFO_NULL) const {
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(comm_, path(), amode, info, &file);
    return file;
  }

  /// What is in the file, read past MPI.
  [[nodiscard]] std::vector<unsigned char> bytes() const {
    std::vector<unsigned char> all;
    if (std::FILE* file = std::fopen(path(), "rb")) {
      unsigned char buffer[4096];
      while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file)) {
        all.insert(all.end(), buffer, buffer + got);
      }
      std::fclose(file);
    }
    return all;
  }
  /// Rank 0 writes the file past MPI; everybody waits for it.
  void fill(const std::vector<unsigned char>& all) const {
    if (rank_ == 0) {
      std::FILE* file = std::fopen(path(), "wb");
      std::fwrite(all.data(), 1, all.size(), file);
      std::fclose(file);
    }
    MPI_Barrier(comm_);
  }

 private:
  MPI_Comm comm_;
  int rank_;
  std::string folder_;
  std::string path_;
};

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -2;
  MPI_Get_count(&status, type, &count);
  return count;
}

/// A committed type that frees itself.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const { return type_; }  // NOLINT(google-explicit-constructor): stands for the handle

 private:
  MPI_Datatype type_;
};

inline MPI_Datatype vector_type(int count, int length, int stride, MPI_Datatype old) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, length, stride, old, &type);
  return type;
}
inline MPI_Datatype resized_type(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(old, lb, extent, &type);
  return type;
}
inline MPI_Datatype contiguous_type(int count, MPI_Datatype old) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(count, old, &type);
  return type;
}

}  // namespace starling::tests
