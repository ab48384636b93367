// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/striped_sends.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {
namespace {

/// After no link has taken a piece.
constexpr std::int64_t kBetweenTriesNs = 10'000;

/// What is asked of a link.
struct Offer {
  double waiting = 0;  ///< bytes
  double rate = 0;     ///< bytes a nanosecond
  bool is_free = false;

  /// When so many more bytes would have arrived.
  [[nodiscard]] double end_of(std::size_t bytes) const noexcept {
    return (waiting + static_cast<double>(bytes)) / rate;
  }
};

}  // namespace

bool StripedSends::has_lane() const noexcept {
  return std::ranges::any_of(lanes, [](const auto& lane) { return lane->is_open(); });
}

bool StripedSends::is_inside() const noexcept {
  return left_ != 0 || !returned_.empty() ||
         std::ranges::any_of(lanes, [](const auto& lane) { return lane->is_open() && !lane->is_free(); });
}

void StripedSends::begin(Frame frame) {
  const StripedHead head{begun_++, frame.bytes};
  left_ = frame.bytes;
  at_ = 0;
  sizes_.push_back(left_);
  under_way_ += left_;
  frame.type = FrameType::kStriped;
  frame.bytes = sizeof head;
  first_.outgoing.keep(frame, &head);
  next_try_ns_ = 0;
}

std::size_t StripedSends::hand(const void* payload, std::size_t bytes, std::int64_t now_ns) {
  if (now_ns < next_try_ns_ || !hand_returned(now_ns)) return 0;
  const auto* const from = static_cast<const std::byte*>(payload);
  const std::uint64_t packet = begun_ - 1;
  std::size_t taken = 0;
  while (taken < bytes) {
    const std::size_t piece = std::min(kPieceBytes, bytes - taken);
    const Choice choice = choose(piece, bytes - taken, now_ns);
    if (choice.is_none()) {
      next_try_ns_ = now_ns + kBetweenTriesNs;
      break;
    }
    if (choice.is_first) {
      give_first(packet, at_, from + taken, piece);
    } else {
      choice.lane->give(make_piece(pool_, packet, at_, from + taken, piece), now_ns);
    }
    at_ += piece;
    left_ -= piece;
    taken += piece;
    now_ns = ::starling::now_ns();
  }
  if (first_.outgoing.kept_bytes() != 0 && !first_.outgoing.is_stuck()) first_.outgoing.write(first_.socket.get());
  return taken;
}

void StripedSends::hand_all(const void* payload, std::size_t bytes, std::int64_t now_ns) {
  next_try_ns_ = 0;
  const auto* const from = static_cast<const std::byte*>(payload);
  std::size_t taken = hand(payload, bytes, now_ns);
  while (taken < bytes) {
    const std::size_t piece = std::min(kPieceBytes, bytes - taken);
    give_first(begun_ - 1, at_, from + taken, piece);
    at_ += piece;
    left_ -= piece;
    taken += piece;
  }
}

StripedSends::Choice StripedSends::choose(std::size_t piece, std::size_t left, std::int64_t now_ns) {
  Offer best;  // of all
  double best_end = std::numeric_limits<double>::infinity();
  double free_end = best_end;  // of those that are free
  Choice choice;
  const auto consider = [&](const Offer& offer, const Choice& link) {
    const double end = offer.end_of(piece);
    if (end < best_end) {
      best_end = end;
      best = offer;
    }
    if (offer.is_free && end < free_end) {
      free_end = end;
      choice = link;
    }
  };
  const auto waiting = static_cast<std::uint64_t>(unacknowledged_bytes(first_.socket.get()).value_or(0));
  first_rate.look(first_handed_, waiting, now_ns);
  const bool is_free =
      !first_.outgoing.is_stuck() && !first_.outgoing.is_broken() && has_room_for(first_.socket.get(), piece);
  consider({static_cast<double>(waiting), first_rate.bytes_per_ns(), is_free}, {true, nullptr});
  for (const auto& lane : lanes) {
    if (!lane->is_open()) continue;
    const std::size_t waits = lane->waiting_bytes();
    lane->rate.look(lane->handed_bytes, waits, now_ns);
    consider({static_cast<double>(waits), lane->rate.bytes_per_ns(), lane->is_free() && lane->has_room(piece)},
             {false, lane.get()});
  }
  // Better none than one that would end later than if the best carried all.
  return free_end <= best.end_of(left) ? choice : Choice();
}

void StripedSends::give_first(std::uint64_t packet, std::uint64_t at, const void* payload, std::size_t bytes) {
  first_.outgoing.send(first_.socket.get(), frame_of_piece(packet, at, bytes), payload);
  first_handed_ += bytes;
  first_rate.note_handed();
}

bool StripedSends::hand_returned(std::int64_t now_ns) {
  while (!returned_.empty()) {
    Piece& piece = returned_.back();
    if (piece.packet >= taken_) {
      const Choice choice = choose(piece.bytes, piece.bytes, now_ns);
      if (choice.is_none()) return false;
      if (choice.lane != nullptr) {
        choice.lane->give(std::move(piece), now_ns);
      } else {
        give_first(piece.packet, piece.at, piece.payload(), piece.bytes);
      }
    }
    if (piece.memory) pool_.give(std::move(piece.memory));
    returned_.pop_back();
  }
  return true;
}

bool StripedSends::go_on(std::int64_t now_ns) {
  bool waits = false;
  for (const auto& lane : lanes) {
    if (!lane->is_open() || lane->is_free()) continue;
    lane->write();
    waits |= !lane->is_free();
  }
  return !hand_returned(now_ns) || waits;
}

void StripedSends::note_taken(std::uint64_t packets) {
  for (; taken_ < packets && !sizes_.empty(); ++taken_) {
    under_way_ -= sizes_.front();
    sizes_.erase(sizes_.begin());
  }
  if (under_way_ == 0) behind_ = 0;
  for (const auto& lane : lanes) lane->forget(taken_, pool_);
}

void StripedSends::lose(Lane& lane, std::int64_t now_ns) {
  for (Piece& piece : lane.close(now_ns)) {
    if (piece.packet >= taken_) returned_.push_back(std::move(piece));
  }
  std::ranges::sort(
      returned_, [](const Piece& a, const Piece& b) { return std::pair(a.packet, a.at) > std::pair(b.packet, b.at); });
}

}  // namespace starling::transport::tcp
