// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "piece.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace starling::array;

namespace mesh {

namespace {

/// What this process begins its pieces from.
const Mesh* whole = nullptr;
const std::vector<int>* piece_of = nullptr;
std::vector<std::vector<int>> vertices_of;  // by piece, in order

}  // namespace

void Piece::divide(const Mesh& mesh, const std::vector<int>& pieces) {
  whole = &mesh;
  piece_of = &pieces;
  vertices_of.assign(static_cast<std::size_t>(*std::max_element(pieces.begin(), pieces.end())) + 1, {});
  for (int i = 0; i < mesh.vertices(); ++i) {
    vertices_of[static_cast<std::size_t>(pieces[static_cast<std::size_t>(i)])].push_back(i);
  }
}

void Piece::begin() {
  if (static_cast<std::size_t>(index()) >= vertices_of.size()) return;  // METIS may leave one empty
  vertices_ = vertices_of[static_cast<std::size_t>(index())];
  step_ = whole->step;
  const auto of = [](int vertex) { return static_cast<std::size_t>(vertex); };
  const auto each_neighbour = [&](int vertex, auto&& visit) {
    for (int i = whole->begin[of(vertex)]; i < whole->begin[of(vertex) + 1]; ++i) visit(i, whole->neighbour[of(i)]);
  };
  std::map<int, int> places;  // of vertices
  for (const int each : vertices_) places.emplace(each, static_cast<int>(places.size()));
  std::map<int, std::pair<std::set<int>, std::set<int>>> borders;  // by piece: own vertices, and its
  for (const int each : vertices_) {
    each_neighbour(each, [&](int, int there) {
      const int other = (*piece_of)[of(there)];
      if (other == index()) return;
      borders[other].first.insert(each);
      borders[other].second.insert(there);
    });
  }
  std::vector<int> known = vertices_;
  for (const auto& [piece, border] : borders) {
    Beside& beside = beside_.emplace_back();
    beside.piece = piece;
    beside.first = static_cast<int>(known.size());
    beside.count = static_cast<int>(border.second.size());
    for (const int each : border.first) beside.own.push_back(places.at(each));
    known.insert(known.end(), border.second.begin(), border.second.end());
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    places[known[i]] = static_cast<int>(i);
    heat_.push_back(first_heat(whole->x[of(known[i])], whole->y[of(known[i])]));
  }
  for (const int each : vertices_) {
    begin_.push_back(static_cast<int>(neighbour_.size()));
    each_neighbour(each, [&](int i, int there) {
      neighbour_.push_back(places.at(there));
      weight_.push_back(whole->weight[of(i)]);
    });
    mass_.push_back(whole->mass[of(each)]);
    is_cold_.push_back(whole->is_cold[of(each)]);
  }
  begin_.push_back(static_cast<int>(neighbour_.size()));
}

void Piece::run(int until, const Future<void>& done) {
  until_ = until;
  done_ = done;
  tell_others();
  go_on();
}

/// Its heat of this step.
void Piece::tell_others() {
  std::vector<double> heat;
  for (const Beside& each : beside_) {
    heat.clear();
    for (const int place : each.own) heat.push_back(heat_[static_cast<std::size_t>(place)]);
    array()[each.piece].send<&Piece::take>(now_, index(), heat);
  }
}

void Piece::take(int step, int from, const std::vector<double>& heat) {
  if (step != now_) {
    early_.push_back({from, heat});
    return;
  }
  put(from, heat);
  go_on();
}

void Piece::put(int from, const std::vector<double>& heat) {
  for (const Beside& each : beside_) {
    if (each.piece == from) std::copy(heat.begin(), heat.end(), heat_.begin() + each.first);
  }
  ++heard_;
}

void Piece::go_on() {
  while (now_ < until_ && heard_ == static_cast<int>(beside_.size())) {
    advance();
    if (now_ == until_) return contribute(done_);
    tell_others();
  }
}

void Piece::advance() {
  std::vector<double> next(vertices_.size());
  for (std::size_t i = 0; i < next.size(); ++i) {
    const auto begin = static_cast<std::size_t>(begin_[i]);
    const Row row{neighbour_.data() + begin, weight_.data() + begin, begin_[i + 1] - begin_[i], mass_[i]};
    next[i] = is_cold_[i] != 0 ? 0 : next_heat(row, heat_.data(), i, step_);
  }
  std::copy(next.begin(), next.end(), heat_.begin());
  ++now_;
  heard_ = 0;
  for (const Early& each : std::exchange(early_, {})) put(each.from, each.heat);
}

void Piece::tell(const Future<std::vector<std::pair<int, double>>>& to) {
  std::vector<std::pair<int, double>> all;
  for (std::size_t i = 0; i < vertices_.size(); ++i) all.emplace_back(vertices_[i], heat_[i]);
  contribute(all, Concat{}, to);
}

void Piece::where(const Future<std::vector<int>>& to) {
  std::vector<int> counts(static_cast<std::size_t>(session().size()));
  counts[static_cast<std::size_t>(rank())] = 1;
  contribute(counts, Sum{}, to);
}

void Piece::serialize(Archive& archive) {
  archive(vertices_, heat_, begin_, neighbour_, weight_, mass_, is_cold_, beside_, early_, step_, now_, until_, heard_,
          done_);
}

}  // namespace mesh
