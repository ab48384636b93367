// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "share_tree.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi/communicator.hpp"
#include "wire/mpi_link.hpp"

namespace starling::farm {
namespace {

constexpr char kParent = 'P';
constexpr char kRefusal = 'R';
constexpr char kSpare = 'S';

void send(MPI_Comm comm, int to, const std::string& text) {
  must(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, kTreeTag, comm), "sending the tree");
}

std::string receive(MPI_Comm comm, int from) {
  MPI_Status status;
  int size = 0;
  must(MPI_Probe(from, kTreeTag, comm, &status), "receiving the tree");
  must(MPI_Get_count(&status, MPI_CHAR, &size), "receiving the tree");
  std::string text(static_cast<std::size_t>(size), ' ');
  must(MPI_Recv(text.data(), size, MPI_CHAR, from, kTreeTag, comm, MPI_STATUS_IGNORE), "receiving the tree");
  return text;
}

/// At rank 0. All of the tree where it is the root as well, else its part.
Tree begin(MPI_Comm comm, const std::string& host, const std::function<Tree(std::vector<std::string>)>& make) {
  const int size = any_mpi::size_of(comm);
  std::vector<std::string> hosts{host};
  for (int rank = 1; rank < size; ++rank) hosts.push_back(receive(comm, rank));
  Tree tree;
  try {
    tree = make(std::move(hosts));
  } catch (const std::exception& error) {
    for (int rank = 1; rank < size; ++rank) send(comm, rank, kRefusal + std::string(error.what()));
    throw;
  }
  const int root = tree.root();
  for (int rank = 1; rank < size; ++rank) {
    if (!tree.has(rank)) {
      send(comm, rank, kSpare + std::to_string(root));
    } else {
      const int parent = tree.nodes[static_cast<std::size_t>(rank)].parent;
      send(comm, rank, kParent + std::to_string(rank == root ? 0 : parent));
    }
  }
  if (root == 0) return tree;
  send(comm, root, text_of(tree));
  return tree_of_text(receive(comm, tree.nodes[0].parent));
}

Share receive_share(MPI_Comm comm, const std::string& host) {
  send(comm, 0, host);
  const std::string word = receive(comm, 0);
  if (word[0] == kRefusal) throw std::runtime_error(word.substr(1));
  const int rank = std::stoi(word.substr(1));
  if (word[0] == kSpare) return {{}, rank};
  return {tree_of_text(receive(comm, rank))};
}

}  // namespace

Share share_tree(MPI_Comm comm, const std::string& host, const std::function<Tree(std::vector<std::string>)>& make) {
  const int rank = any_mpi::rank_of(comm);
  Share mine = rank == 0 ? Share{begin(comm, host, make)} : receive_share(comm, host);
  if (mine.root_of_spare >= 0) return mine;
  for (const int child : mine.tree.nodes[static_cast<std::size_t>(rank)].children) {
    send(comm, child, text_of(part_of(mine.tree, child)));
  }
  return mine;
}

std::optional<Assignment> wait_for_place(MPI_Comm comm, int root, RunEnd& end) {
  const std::string text = receive(comm, root);
  end = text == kEndOfFailed ? RunEnd::kFailed : text == kEndOfShareLost ? RunEnd::kShareLost : RunEnd::kComplete;
  if (end != RunEnd::kComplete || text == kEndOfSpares) return std::nullopt;
  return assignment_of_text(text);
}

}  // namespace starling::farm
