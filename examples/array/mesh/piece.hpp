// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A piece of the mesh: the heat at its vertices, and at those of other pieces beside them, as they said it last. It
// goes on to the next step once all pieces beside it have told theirs, and waits for nobody else.
//
// **Invariants**: a piece is at most one step ahead of those beside it, so what they tell is of its own step or of the
// next. The heat of other pieces lies behind its own.
#pragma once

#include <cstdint>
#include <starling/array/element.hpp>
#include <utility>
#include <vector>

#include "mesh.hpp"

namespace mesh {

class Piece : public starling::array::Element<Piece> {
 public:
  /// Of the mesh, which every process has then: once, before the others.
  static void divide(const Mesh& mesh, const std::vector<int>& pieces);

  void begin();
  /// Up to that step; contributes at its end.
  void run(int until, const starling::array::Future<void>& done);
  void take(int step, int from, const std::vector<double>& heat);
  /// Vertices and their heat.
  void tell(const starling::array::Future<std::vector<std::pair<int, double>>>& to);
  void where(const starling::array::Future<std::vector<int>>& to);
  void serialize(starling::array::Archive& archive);

 private:
  struct Beside {
    int piece = 0;
    std::vector<int> own;  // places whose heat it wants to know
    int first = 0;         // the place of its own first
    int count = 0;
    void serialize(starling::array::Archive& archive) { archive(piece, own, first, count); }
  };
  struct Early {
    int from = 0;
    std::vector<double> heat;
    void serialize(starling::array::Archive& archive) { archive(from, heat); }
  };

  void tell_others();
  void put(int from, const std::vector<double>& heat);
  void go_on();
  void advance();

  std::vector<int> vertices_;  // by place: its own
  std::vector<double> heat_;   // its own, then those of others
  std::vector<int> begin_;
  std::vector<int> neighbour_;  // places
  std::vector<double> weight_;
  std::vector<double> mass_;
  std::vector<char> is_cold_;
  std::vector<Beside> beside_;
  std::vector<Early> early_;  // of the next step
  double step_ = 0;
  int now_ = 0;
  int until_ = 0;
  int heard_ = 0;  // of this step
  starling::array::Future<void> done_;
};

}  // namespace mesh
