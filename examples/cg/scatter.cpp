// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "scatter.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace cg {
namespace {

static_assert(std::is_trivially_copyable_v<Entry>);

constexpr int kEntriesPerMessage = 2048;
enum Tag : int { kMore = 1, kLast = 2, kFailed = 3 };

// The sending side, on rank 0.
class Dealer {
 public:
  Dealer(const Communicator& comm, const RowBlocks& blocks, MPI_Datatype type, std::vector<Entry>& own)
      : comm_(comm), blocks_(blocks), type_(type), own_(own), buffers_(static_cast<std::size_t>(comm.size())) {}

  void deal(const Entry& entry) {
    const int owner = blocks_.owner(entry.row);
    if (owner == comm_.rank()) {
      own_.push_back(entry);
      return;
    }
    std::vector<Entry>& buffer = buffers_[static_cast<std::size_t>(owner)];
    if (buffer.capacity() == 0) buffer.reserve(kEntriesPerMessage);
    buffer.push_back(entry);
    if (buffer.size() == kEntriesPerMessage) send(owner, kMore);
  }

  void finish(Tag tag) {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (rank != comm_.rank()) send(rank, tag);
    }
  }

 private:
  void send(int rank, Tag tag) {
    std::vector<Entry>& buffer = buffers_[static_cast<std::size_t>(rank)];
    MPI_Send(buffer.data(), static_cast<int>(buffer.size()), type_, rank, tag, comm_.mpi());
    buffer.clear();
  }

  const Communicator& comm_;
  const RowBlocks& blocks_;
  MPI_Datatype type_;
  std::vector<Entry>& own_;
  std::vector<std::vector<Entry>> buffers_;
};

void deal_all(MatrixMarketReader& reader, Dealer& dealer) {
  const bool unfold = reader.header().symmetry == Symmetry::kSymmetric;
  while (const std::optional<Entry> entry = reader.next()) {
    dealer.deal(*entry);
    if (unfold && entry->row != entry->column) dealer.deal({entry->column, entry->row, entry->value});
  }
}

void receive_all(const Communicator& comm, MPI_Datatype type, std::vector<Entry>& entries) {
  std::vector<Entry> message(kEntriesPerMessage);
  MPI_Status status;
  do {
    MPI_Recv(message.data(), kEntriesPerMessage, type, 0, MPI_ANY_TAG, comm.mpi(), &status);
    int count = 0;
    MPI_Get_count(&status, type, &count);
    entries.insert(entries.end(), message.begin(), message.begin() + count);
  } while (status.MPI_TAG == kMore);
}

// Opens the file on rank 0 and tells every rank its header.
MatrixMarketHeader share_header(const std::string& path, const Communicator& comm,
                                std::optional<MatrixMarketReader>& reader) {
  std::optional<std::string> error;
  MatrixMarketHeader header;
  if (comm.is_root()) {
    try {
      reader.emplace(path);
      header = reader->header();
      if (header.rows / comm.size() >= std::numeric_limits<int>::max()) {
        error = path + ": the matrix has " + std::to_string(header.rows) + " rows, too many for " +
                std::to_string(comm.size()) + " ranks; start more ranks.";
      }
    } catch (const InputError& e) {
      error = e.what();
    }
  }
  comm.throw_together(error);
  std::array<std::int64_t, 4> numbers = {header.rows, header.entries, static_cast<std::int64_t>(header.field),
                                         static_cast<std::int64_t>(header.symmetry)};
  MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, comm.mpi());
  return {static_cast<Field>(numbers[2]), static_cast<Symmetry>(numbers[3]), numbers[0], numbers[1]};
}

}  // namespace

EntryType::EntryType() {
  MPI_Type_contiguous(sizeof(Entry), MPI_BYTE, &type_);
  MPI_Type_commit(&type_);
}

EntryType::~EntryType() { MPI_Type_free(&type_); }

ScatteredMatrix read_and_scatter(const std::string& path, const Communicator& comm) {
  const EntryType type;
  std::optional<MatrixMarketReader> reader;
  const MatrixMarketHeader header = share_header(path, comm, reader);
  ScatteredMatrix matrix{header, RowBlocks(header.rows, comm.size()), {}};
  std::optional<std::string> error;
  if (comm.is_root()) {
    Dealer dealer(comm, matrix.blocks, type.mpi(), matrix.entries);
    try {
      deal_all(*reader, dealer);
      dealer.finish(kLast);
    } catch (const InputError& e) {
      error = e.what();
      dealer.finish(kFailed);
    }
  } else {
    receive_all(comm, type.mpi(), matrix.entries);
  }
  comm.throw_together(error);
  return matrix;
}

}  // namespace cg
