// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A value in pieces that every PMI launcher takes: launchers limit a value, and some a whole message, to 1024 bytes.
// The first piece begins with the number of pieces: "2:...". Thread safety: pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/pmi/fields.hpp"

namespace starling::bootstrap {

inline constexpr std::size_t kPieceBytes = 512;

/// Under which a launcher keeps a piece: launchers know no owners.
[[nodiscard]] inline std::string key_of_piece(WorldRank owner, std::string_view key, std::size_t piece) {
  return formatted("starling-{}-{}-{}", owner.value, key, piece);
}

/// put_piece(number, text) returns a Status.
template <typename PutPiece>
Status put_pieces(const std::string& value, PutPiece&& put_piece) {
  const std::size_t pieces = std::max<std::size_t>(1, (value.size() + kPieceBytes - 1) / kPieceBytes);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::string text = value.substr(piece * kPieceBytes, kPieceBytes);
    STARLING_TRY(put_piece(piece, piece == 0 ? formatted("{}:{}", pieces, text) : text));
  }
  return {};
}

/// get_piece(number) returns a Result<std::string>.
template <typename GetPiece>
Result<std::string> get_pieces(GetPiece&& get_piece) {
  std::string value;
  for (std::size_t piece = 0, pieces = 1; piece < pieces; ++piece) {
    Result<std::string> got = get_piece(piece);
    if (!got.ok()) return got;
    std::string_view text = got.value();
    if (piece == 0) {
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), pieces);
      text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
      if (error != std::errc() || pieces == 0 || !text.starts_with(':')) {
        return Status::error(ErrorClass::kOther, formatted("the launcher returned '{}', which no rank has left there",
                                                           printable(got.value())));
      }
      text.remove_prefix(1);
    }
    value.append(text);
  }
  return value;
}

}  // namespace starling::bootstrap
