// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "assignment.hpp"

#include <sstream>

namespace starling::farm {

std::string text_of(const Assignment& assignment) {
  std::ostringstream out;
  out << assignment.place << ' ' << assignment.replaced.size() << ' ';
  for (const Replacement& each : assignment.replaced)
    out << each.place << ' ' << each.rank << ' ' << each.deaths << ' ';
  return out.str() + text_of(assignment.tree);
}

Assignment assignment_of_text(const std::string& text) {
  std::istringstream in(text);
  Assignment assignment;
  std::size_t count = 0;
  in >> assignment.place >> count;
  for (Replacement each{}; assignment.replaced.size() < count && in >> each.place >> each.rank >> each.deaths;)
    assignment.replaced.push_back(each);
  assignment.tree = tree_of_text(text.substr(static_cast<std::size_t>(in.tellg())));
  return assignment;
}

}  // namespace starling::farm
