// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/striped_sends.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {
namespace {

/// After no link has taken a piece.
constexpr std::int64_t kBetweenTriesNs = 10'000;

/// What waits on a link is no more than it carries in this time, or two pieces: when the last packet of several ends,
/// no link shall be behind by more.
constexpr double kMostAheadNs = 6e6;
/// A fast link takes what it carries in this time at once: each call of the system costs the same.
constexpr double kPieceNs = 4e5;
constexpr std::size_t kLongestPiece = 1024 * 1024;
/// With less that waits a link is about to be idle.
constexpr double kAlmostIdle = 32 * 1024;
/// A link that is not the best takes a piece if that would end in this part of the time in which the best would end.
constexpr double kMargin = 0.8;

/// What is asked of a link.
struct Offer {
  double waiting = 0;  ///< bytes
  double rate = 0;     ///< bytes a nanosecond
  bool is_free = false;

  /// When so many more bytes would have arrived.
  [[nodiscard]] bool is_ahead() const noexcept {
    return waiting + static_cast<double>(kPieceBytes) > std::max(2.0 * kPieceBytes + kAlmostIdle, kMostAheadNs * rate);
  }
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
  write_first();
  const auto* const from = static_cast<const std::byte*>(payload);
  const std::uint64_t packet = begun_ - 1;
  std::size_t taken = 0;
  while (taken < bytes) {
    std::size_t piece = std::min(kPieceBytes, bytes - taken);
    const Choice choice = choose(piece, bytes - taken, now_ns);
    if (choice.is_none()) {
      next_try_ns_ = now_ns + kBetweenTriesNs;
      break;
    }
    if (choice.is_first) {
      piece = piece_of_first(bytes - taken);
      give_first(packet, at_, from + taken, piece);
    } else {
      choice.lane->give(make_piece(pool_, packet, at_, from + taken, piece), now_ns);
    }
    at_ += piece;
    left_ -= piece;
    taken += piece;
    now_ns = ::starling::now_ns();
  }
  write_first();
  return taken;
}

/// The system tells of room only when there is much; until then the link would be idle.
void StripedSends::write_first() {
  if (first_.outgoing.kept_bytes() != 0 && !first_.outgoing.owes()) first_.outgoing.write(first_.socket.get());
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
  Offer offers[1 + kMostLanes];
  Choice links[1 + kMostLanes];
  std::size_t count = 0;
  const auto add = [&](const Offer& offer, const Choice& link) {
    offers[count] = offer;
    links[count++] = link;
  };
  const auto waiting =
      first_.outgoing.kept_bytes() + static_cast<std::uint64_t>(unacknowledged_bytes(first_.socket.get()).value_or(0));
  first_rate.look(first_handed_, waiting, now_ns);
  const bool is_free =
      !first_.outgoing.is_stuck() && !first_.outgoing.is_broken() && has_room_for(first_.socket.get(), piece);
  add({static_cast<double>(waiting), first_rate.bytes_per_ns(), is_free}, {true, nullptr});
  for (const auto& lane : lanes) {
    if (!lane->is_open()) continue;
    const std::size_t waits = lane->waiting_bytes();
    lane->rate.look(lane->handed_bytes, waits, now_ns);
    add({static_cast<double>(waits), lane->rate.bytes_per_ns(), lane->is_free() && lane->has_room(piece)},
        {false, lane.get()});
  }
  const auto ends_before = [piece](const Offer& a, const Offer& b) { return a.end_of(piece) < b.end_of(piece); };
  const Offer best = *std::min_element(offers, offers + count, ends_before);
  // Better none than one that would end later than if the best carried all.
  const double limit = std::max(best.end_of(piece), kMargin * best.end_of(left));
  std::size_t chosen = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Offer& offer = offers[i];
    if (!offer.is_free || offer.is_ahead() || offer.end_of(piece) > limit) continue;
    // A slow link that is idle comes first: it takes the longest.
    const bool is_idle = offer.waiting < kAlmostIdle;
    const bool has_idle = chosen != count && offers[chosen].waiting < kAlmostIdle;
    const bool is_better =
        chosen == count || (is_idle != has_idle ? is_idle : ends_before(offer, offers[chosen]) != is_idle);
    if (is_better) chosen = i;
  }
  return chosen == count ? Choice() : links[chosen];
}

std::size_t StripedSends::piece_of_first(std::size_t bytes) const noexcept {
  const auto carried = static_cast<std::size_t>(kPieceNs * first_rate.bytes_per_ns());
  const std::size_t most = std::min({carried, kLongestPiece, room_of(first_.socket.get())}) / kPieceBytes * kPieceBytes;
  return std::min(bytes, std::max(most, kPieceBytes));
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
  write_first();
  bool waits = first_.outgoing.kept_bytes() != 0;
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
