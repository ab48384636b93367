// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/meeting.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/random_bytes.hpp"

namespace starling::world {

std::string Meeting::Introduction::bytes() const {
  ByteWriter out;
  out.put_text(card).put(process.job).put(process.rank.value).put(layout).put(id).put_text(alike);
  return out.bytes();
}

std::optional<Meeting::Introduction> Meeting::Introduction::parse(std::string_view bytes) {
  ByteReader in(bytes);
  Introduction made;
  made.card = in.get_text();
  made.process.job = in.get<std::uint64_t>();
  made.process.rank = WorldRank(in.get<std::int32_t>());
  made.layout = in.get<std::uint64_t>();
  made.id = in.get<std::uint64_t>();
  made.alike = in.get_text();
  if (in.ok_and_at_end() && made.layout == kLibraryLayout) return made;
  return std::nullopt;
}

Status Meeting::prepare() {
  auto segment = OwnCard::make_segment(1, world_.config());
  if (!segment.ok()) return std::move(segment).status();
  Result<OwnCard> own = OwnCard::make(world_.config(), place(), std::move(segment).value());
  if (!own.ok()) return std::move(own).status();
  own_.emplace(std::move(own).value());
  mine_.card = own_->text();
  mine_.process = world_.processes().global(world_.process());
  mine_.alike = world_.config().alike();
  return fill_randomly(std::as_writable_bytes(std::span(&mine_.id, 1)));
}

Status Meeting::introduce() {
  const bool calls = side_ == Side::kCaller;
  STARLING_TRY(calls ? tell() : hear());
  return calls ? hear() : tell();
}

Status Meeting::tell() { return socket_.send_text(mine_.bytes()); }

Status Meeting::hear() {
  std::string bytes;
  STARLING_TRY(socket_.receive_text(&bytes));
  std::optional<Introduction> theirs = Introduction::parse(bytes);
  if (!theirs) return Status::error(failure_, "the process at the other end has loaded another build of the library");
  theirs_ = *std::move(theirs);
  return {};
}

Result<Met> Meeting::join() {
  const bool calls = side_ == Side::kCaller;
  const Introduction& caller = calls ? mine_ : theirs_;
  const Introduction& acceptor = calls ? theirs_ : mine_;
  std::vector<bootstrap::RankCard> cards;
  for (const Introduction* each : {&caller, &acceptor}) {
    Result<bootstrap::RankCard> card = bootstrap::RankCard::parse(each->card, 2);
    if (!card.ok()) return std::move(card).status();
    cards.push_back(std::move(card).value());
  }
  Result<JobConnection*> connection =
      own_->join(world_.connections(), world_.config(), cards, place(), {caller.id, secret_, caller.alike});
  // Neither waits for one that is not there.
  const std::uint64_t here = connection.ok() ? 1 : 0;
  std::uint64_t there = 0;
  Status told = socket_.send(here);
  if (told.ok()) told = socket_.receive(&there);
  if (!connection.ok()) return std::move(connection).status();
  if (told.ok() && there != 1) {
    told =
        Status::error(failure_, "the process at the other end could not open the connection; its own message says why");
  }
  if (told.ok()) told = connection.value()->wait_for_all();
  if (told.ok()) return Met{connection.value(), theirs_.process, {}};
  connection.value()->leave();
  return told;
}

}  // namespace starling::world
