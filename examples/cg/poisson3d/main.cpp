// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the matrix of Poisson's equation on a box, discretised with the 7-point stencil, as a Matrix Market file:
// 6 on the diagonal, -1 for each neighbour in the grid; symmetric positive definite.
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

struct Grid {
  std::int64_t x, y, z;

  [[nodiscard]] std::int64_t points() const { return x * y * z; }
  // Diagonal and the neighbours below each point in x, y and z.
  [[nodiscard]] std::int64_t lower_entries() const {
    return points() + (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1);
  }
};

constexpr std::int64_t kMaxEdge = 2000;

bool parse_edge(std::string_view word, std::int64_t& edge) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), edge);
  return error == std::errc() && end == word.data() + word.size() && edge >= 1 && edge <= kMaxEdge;
}

void write_matrix(std::FILE* out, const Grid& grid) {
  std::fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n");
  std::fprintf(out, "%% Poisson's equation, 7-point stencil, grid %lld x %lld x %lld\n", static_cast<long long>(grid.x),
               static_cast<long long>(grid.y), static_cast<long long>(grid.z));
  std::fprintf(out, "%lld %lld %lld\n", static_cast<long long>(grid.points()), static_cast<long long>(grid.points()),
               static_cast<long long>(grid.lower_entries()));
  std::int64_t row = 1;
  const auto below = [&](std::int64_t distance) {
    std::fprintf(out, "%lld %lld -1\n", static_cast<long long>(row), static_cast<long long>(row - distance));
  };
  for (std::int64_t k = 0; k < grid.z; ++k) {
    for (std::int64_t j = 0; j < grid.y; ++j) {
      for (std::int64_t i = 0; i < grid.x; ++i, ++row) {
        if (k > 0) below(grid.x * grid.y);
        if (j > 0) below(grid.x);
        if (i > 0) below(1);
        std::fprintf(out, "%lld %lld 6\n", static_cast<long long>(row), static_cast<long long>(row));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Grid grid{};
  const bool cube = argc == 3;
  const bool box = argc == 5;
  if (!(cube || box) || !parse_edge(argv[1], grid.x) || !parse_edge(argv[cube ? 1 : 2], grid.y) ||
      !parse_edge(argv[cube ? 1 : 3], grid.z)) {
    std::fprintf(stderr,
                 "usage: poisson3d NX [NY NZ] FILE.mtx\n"
                 "Writes the 7-point Poisson matrix of an NX x NY x NZ grid (a cube when only NX is given); each "
                 "between 1 and %lld. FILE may be - for the standard output.\n",
                 static_cast<long long>(kMaxEdge));
    return 2;
  }
  const char* path = argv[argc - 1];
  std::FILE* out = std::string_view(path) == "-" ? stdout : std::fopen(path, "w");
  if (out == nullptr) {
    std::fprintf(stderr, "poisson3d: cannot write '%s': %s\n", path, std::strerror(errno));
    return 1;
  }
  write_matrix(out, grid);
  const bool failed = std::ferror(out) != 0;
  if (std::fclose(out) != 0 || failed) {
    std::fprintf(stderr, "poisson3d: '%s' could not be written whole: %s\n", path, std::strerror(errno));
    return 1;
  }
  return 0;
}
