// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "share_tree.hpp"

#include <exception>
#include <stdexcept>
#include <string>

#include "mpi/communicator.hpp"
#include "wire/mpi_link.hpp"

namespace starling::farm {
namespace {

constexpr char kTree = 'T';
constexpr char kRefusal = 'R';
constexpr char kSpare = 'S';

void send(MPI_Comm comm, int to, char kind, const std::string& text) {
  const std::string all = kind + text;
  must(MPI_Send(all.data(), static_cast<int>(all.size()), MPI_CHAR, to, kTreeTag, comm), "sending the tree");
}

std::string receive_text(MPI_Comm comm, int from) {
  MPI_Status status;
  int size = 0;
  must(MPI_Probe(from, kTreeTag, comm, &status), "receiving the tree");
  must(MPI_Get_count(&status, MPI_CHAR, &size), "receiving the tree");
  std::string all(static_cast<std::size_t>(size), ' ');
  must(MPI_Recv(all.data(), size, MPI_CHAR, status.MPI_SOURCE, kTreeTag, comm, MPI_STATUS_IGNORE),
       "receiving the tree");
  return all;
}

Share receive(MPI_Comm comm) {
  const std::string all = receive_text(comm, MPI_ANY_SOURCE);
  if (all[0] == kRefusal) throw std::runtime_error(all.substr(1));
  if (all[0] == kSpare) return {{}, std::stoi(all.substr(1))};
  return {tree_of_text(all.substr(1))};
}

/// At rank 0. All of the tree where it is the root as well, else its part.
Share begin(MPI_Comm comm, const std::function<Tree()>& make) {
  Tree tree;
  try {
    tree = make();
  } catch (const std::exception& error) {
    for (int rank = 1; rank < any_mpi::size_of(comm); ++rank) send(comm, rank, kRefusal, error.what());
    throw;
  }
  for (int rank = static_cast<int>(tree.nodes.size()); rank < any_mpi::size_of(comm); ++rank)
    send(comm, rank, kSpare, std::to_string(tree.root()));
  if (tree.root() == 0) return {tree};
  send(comm, tree.root(), kTree, text_of(tree));
  return receive(comm);
}

}  // namespace

Share share_tree(MPI_Comm comm, const std::function<Tree()>& make) {
  const int rank = any_mpi::rank_of(comm);
  Share mine = rank == 0 ? begin(comm, make) : receive(comm);
  if (mine.root_of_spare >= 0) return mine;
  for (const int child : mine.tree.nodes[static_cast<std::size_t>(rank)].children) {
    send(comm, child, kTree, text_of(part_of(mine.tree, child)));
  }
  return mine;
}

std::optional<Assignment> wait_for_place(MPI_Comm comm, int root, RunEnd& end) {
  const std::string text = receive_text(comm, root);
  end = text == kEndOfFailed ? RunEnd::kFailed : text == kEndOfShareLost ? RunEnd::kShareLost : RunEnd::kComplete;
  if (end != RunEnd::kComplete || text == kEndOfSpares) return std::nullopt;
  return assignment_of_text(text);
}

}  // namespace starling::farm
