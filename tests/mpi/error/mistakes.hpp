// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The mistakes that programs make with arguments: the call, the argument that is wrong, the class that the standard
// gives it, and the call itself. All of them are local: nothing is sent and no other rank takes part.
//
// Thread safety: one object for each thread.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace starling::tests {

struct Mistake {
  const char* call;
  const char* argument;
  int error_class;
  std::function<int()> make;
};

class Mistakes {
 public:
  Mistakes() { MPI_Type_contiguous(3, MPI_INT, &uncommitted_); }
  ~Mistakes() { MPI_Type_free(&uncommitted_); }
  Mistakes(const Mistakes&) = delete;
  Mistakes& operator=(const Mistakes&) = delete;

  std::vector<Mistake> all() {
    std::vector<Mistake> list;
    for (const std::vector<Mistake>& some : {sends(), receives(), collectives(), objects()}) {
      list.insert(list.end(), some.begin(), some.end());
    }
    return list;
  }

 private:
  std::vector<Mistake> sends();
  std::vector<Mistake> receives();
  std::vector<Mistake> collectives();
  std::vector<Mistake> objects();

  // What the calls are given; none of them gets as far as to use it.
  int value_ = 0;
  int result_ = 0;
  double number_ = 0;
  double result_double_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Group group_ = MPI_GROUP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Datatype uncommitted_ = MPI_DATATYPE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
};

inline std::vector<Mistake> Mistakes::sends() {
  return {
      {"MPI_Send", "count", MPI_ERR_COUNT, [this] { return MPI_Send(&value_, -1, MPI_INT, 0, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "buf", MPI_ERR_BUFFER, [] { return MPI_Send(nullptr, 1, MPI_INT, 0, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "datatype", MPI_ERR_TYPE,
       [this] { return MPI_Send(&value_, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "datatype", MPI_ERR_TYPE,
       [this] { return MPI_Send(&value_, 1, uncommitted_, 0, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "dest", MPI_ERR_RANK, [this] { return MPI_Send(&value_, 1, MPI_INT, 1, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "dest", MPI_ERR_RANK, [this] { return MPI_Send(&value_, 1, MPI_INT, -7, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "dest", MPI_ERR_RANK,
       [this] { return MPI_Send(&value_, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF); }},
      {"MPI_Send", "tag", MPI_ERR_TAG, [this] { return MPI_Send(&value_, 1, MPI_INT, 0, -5, MPI_COMM_SELF); }},
      {"MPI_Send", "tag", MPI_ERR_TAG, [this] { return MPI_Send(&value_, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF); }},
      {"MPI_Send", "comm", MPI_ERR_COMM, [this] { return MPI_Send(&value_, 1, MPI_INT, 0, 1, MPI_COMM_NULL); }},
      {"MPI_Ssend", "dest", MPI_ERR_RANK, [this] { return MPI_Ssend(&value_, 1, MPI_INT, 9, 1, MPI_COMM_SELF); }},
      {"MPI_Bsend", "tag", MPI_ERR_TAG, [this] { return MPI_Bsend(&value_, 1, MPI_INT, 0, -5, MPI_COMM_SELF); }},
      {"MPI_Isend", "count", MPI_ERR_COUNT,
       [this] { return MPI_Isend(&value_, -3, MPI_INT, 0, 1, MPI_COMM_SELF, &request_); }},
      {"MPI_Send_init", "dest", MPI_ERR_RANK,
       [this] { return MPI_Send_init(&value_, 1, MPI_INT, 9, 1, MPI_COMM_SELF, &request_); }}};
}

inline std::vector<Mistake> Mistakes::receives() {
  return {{"MPI_Recv", "count", MPI_ERR_COUNT,
           [this] { return MPI_Recv(&value_, -1, MPI_INT, 0, 1, MPI_COMM_SELF, &status_); }},
          {"MPI_Recv", "buf", MPI_ERR_BUFFER,
           [this] { return MPI_Recv(nullptr, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &status_); }},
          {"MPI_Recv", "source", MPI_ERR_RANK,
           [this] { return MPI_Recv(&value_, 1, MPI_INT, 4, 1, MPI_COMM_SELF, &status_); }},
          {"MPI_Recv", "tag", MPI_ERR_TAG,
           [this] { return MPI_Recv(&value_, 1, MPI_INT, 0, -9, MPI_COMM_SELF, &status_); }},
          {"MPI_Recv", "comm", MPI_ERR_COMM,
           [this] { return MPI_Recv(&value_, 1, MPI_INT, 0, 1, MPI_COMM_NULL, &status_); }},
          {"MPI_Irecv", "source", MPI_ERR_RANK,
           [this] { return MPI_Irecv(&value_, 1, MPI_INT, -8, 1, MPI_COMM_SELF, &request_); }},
          {"MPI_Probe", "source", MPI_ERR_RANK, [this] { return MPI_Probe(5, 1, MPI_COMM_SELF, &status_); }},
          {"MPI_Iprobe", "tag", MPI_ERR_TAG, [this] { return MPI_Iprobe(0, -9, MPI_COMM_SELF, &result_, &status_); }}};
}

inline std::vector<Mistake> Mistakes::collectives() {
  return {{"MPI_Bcast", "count", MPI_ERR_COUNT, [this] { return MPI_Bcast(&value_, -1, MPI_INT, 0, MPI_COMM_SELF); }},
          {"MPI_Bcast", "root", MPI_ERR_ROOT, [this] { return MPI_Bcast(&value_, 1, MPI_INT, 3, MPI_COMM_SELF); }},
          {"MPI_Bcast", "datatype", MPI_ERR_TYPE,
           [this] { return MPI_Bcast(&value_, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF); }},
          {"MPI_Bcast", "comm", MPI_ERR_COMM, [this] { return MPI_Bcast(&value_, 1, MPI_INT, 0, MPI_COMM_NULL); }},
          {"MPI_Reduce", "root", MPI_ERR_ROOT,
           [this] { return MPI_Reduce(&value_, &result_, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_SELF); }},
          {"MPI_Allreduce", "op", MPI_ERR_OP,
           [this] { return MPI_Allreduce(&value_, &result_, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF); }},
          {"MPI_Allreduce", "op", MPI_ERR_OP,
           [this] { return MPI_Allreduce(&number_, &result_double_, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF); }},
          {"MPI_Gather", "root", MPI_ERR_ROOT,
           [this] { return MPI_Gather(&value_, 1, MPI_INT, &result_, 1, MPI_INT, 7, MPI_COMM_SELF); }},
          {"MPI_Alltoall", "comm", MPI_ERR_COMM,
           [this] { return MPI_Alltoall(&value_, 1, MPI_INT, &result_, 1, MPI_INT, MPI_COMM_NULL); }},
          {"MPI_Barrier", "comm", MPI_ERR_COMM, [] { return MPI_Barrier(MPI_COMM_NULL); }}};
}

inline std::vector<Mistake> Mistakes::objects() {
  return {{"MPI_Comm_rank", "comm", MPI_ERR_COMM, [this] { return MPI_Comm_rank(MPI_COMM_NULL, &result_); }},
          {"MPI_Comm_size", "comm", MPI_ERR_COMM, [this] { return MPI_Comm_size(MPI_COMM_NULL, &result_); }},
          {"MPI_Comm_dup", "comm", MPI_ERR_COMM, [this] { return MPI_Comm_dup(MPI_COMM_NULL, &comm_); }},
          {"MPI_Comm_free", "comm", MPI_ERR_COMM, [this] { return MPI_Comm_free(&comm_); }},
          {"MPI_Group_size", "group", MPI_ERR_GROUP, [this] { return MPI_Group_size(MPI_GROUP_NULL, &result_); }},
          {"MPI_Group_free", "group", MPI_ERR_GROUP, [this] { return MPI_Group_free(&group_); }},
          {"MPI_Type_contiguous", "count", MPI_ERR_COUNT, [this] { return MPI_Type_contiguous(-2, MPI_INT, &type_); }},
          {"MPI_Type_commit", "datatype", MPI_ERR_TYPE, [this] { return MPI_Type_commit(&type_); }},
          {"MPI_Type_free", "datatype", MPI_ERR_TYPE, [this] { return MPI_Type_free(&type_); }},
          {"MPI_Type_size", "datatype", MPI_ERR_TYPE, [this] { return MPI_Type_size(MPI_DATATYPE_NULL, &result_); }},
          {"MPI_Request_free", "request", MPI_ERR_REQUEST, [this] { return MPI_Request_free(&request_); }},
          {"MPI_Start", "request", MPI_ERR_REQUEST, [this] { return MPI_Start(&request_); }}};
}

}  // namespace starling::tests
