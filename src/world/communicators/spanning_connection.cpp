// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/spanning_connection.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/random_bytes.hpp"
#include "world/network/seal.hpp"

namespace starling::world {
namespace {

using bootstrap::RankCard;
using transport::tcp::Secret;
using Words = LeaderExchange::Words;

/// The first word is the length.
Words words_of(std::string_view bytes) {
  Words words(1 + (bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
  words[0] = bytes.size();
  std::memcpy(words.data() + 1, bytes.data(), bytes.size());
  return words;
}

std::string bytes_of(const Words& words) {
  if (words.empty() || words[0] > (words.size() - 1) * sizeof words[0]) return {};
  return {reinterpret_cast<const char*>(words.data() + 1), words[0]};
}

std::vector<std::string> texts_of(std::string_view bytes) {
  ByteReader in(bytes);
  auto texts = in.get_list<std::string>([](ByteReader& from) { return from.get_text(); });
  return in.ok_and_at_end() ? texts : std::vector<std::string>();
}

Status failed_elsewhere() {
  return Status::error(ErrorClass::kOther,
                       "another process of the two groups could not prepare a connection between nodes; its own "
                       "message says why");
}

/// By which its members know each other already; null: they share memory, or are threads of one process.
const Secret* secret_of(World& world, const comm::Communicator& comm) {
  if (comm.shared_domain() != nullptr) return nullptr;
  const JobNetwork* network = comm.connected_jobs() ? nullptr : world.network();
  if (comm.connected_jobs()) {
    world.connections().for_each([&](const JobConnection& connection) {
      if (connection.id() == comm.connected_jobs()->id()) network = connection.network();
    });
  }
  return network != nullptr ? &network->secret() : nullptr;
}

}  // namespace

SpanningConnection::SpanningConnection(World& world, LeaderExchange& exchange, const GroupPair& groups,
                                       comm::Communicator& local, const comm::Communicator* between)
    : world_(world), exchange_(exchange), groups_(groups), local_(local), between_(between) {}

std::vector<GlobalProcess> SpanningConnection::by_place(const GroupPair& groups) {
  std::vector<GlobalProcess> all = groups.takes ? groups.ours.members : groups.theirs.members;
  const std::vector<GlobalProcess>& others = groups.takes ? groups.theirs.members : groups.ours.members;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

WorldRank SpanningConnection::place_of(std::int32_t rank_in_group) const noexcept {
  return WorldRank(static_cast<std::size_t>(rank_in_group) + (groups_.takes ? 0 : groups_.theirs.members.size()));
}

Result<JobConnection*> SpanningConnection::open() {
  Result<std::vector<std::int32_t>> here = find_node();
  if (!here.ok()) return std::move(here).status();
  Result<OwnCard> own = prepare(here.value());
  // An empty text tells the others that this process has nothing.
  Result<std::vector<RankCard>> cards = exchange_cards(own.ok() ? own.value().text() : std::string());
  if (!own.ok()) return std::move(own).status();
  if (!cards.ok()) return std::move(cards).status();
  Result<OwnCard::Common> common = agree_on_common();
  if (!common.ok()) return std::move(common).status();
  Result<JobConnection*> connection =
      own.value().join(world_.connections(), world_.config(), cards.value(), place_of(local_.rank()), common.value());
  // No process waits for one that is not there.
  Result<bool> all = exchange_.all_agree(connection.ok());
  if (!connection.ok()) return connection;
  Status there = !all.ok()     ? std::move(all).status()
                 : all.value() ? connection.value()->wait_for_all()
                               : failed_elsewhere();
  if (there.ok()) return connection;
  connection.value()->leave();
  return there;
}

Result<OwnCard> SpanningConnection::prepare(const std::vector<std::int32_t>& here) {
  std::unique_ptr<memory::JobSegment> segment;
  if (here.front() == local_.rank()) {
    auto made = OwnCard::make_segment(here.size(), world_.config());
    if (!made.ok()) return std::move(made).status();
    segment = std::move(made).value();
  }
  return OwnCard::make(world_.config(), place_of(here.front()), std::move(segment));
}

Result<std::vector<std::int32_t>> SpanningConnection::find_node() {
  struct Node {
    std::uint64_t job;
    std::int64_t number;
    bool operator==(const Node&) const = default;
  };
  const Node mine{world_.job().id, world_.placement().own_node()};
  std::vector<Node> all(static_cast<std::size_t>(local_.size()));
  STARLING_TRY(world_.collectives().allgather(local_, &mine, all.data(), sizeof mine));
  std::vector<std::int32_t> here;
  for (std::int32_t rank = 0; rank < local_.size(); ++rank) {
    if (all[static_cast<std::size_t>(rank)] == mine) here.push_back(rank);
  }
  return here;
}

Result<std::vector<RankCard>> SpanningConnection::exchange_cards(const std::string& own) {
  collective::Collectives& collectives = world_.collectives();
  const std::uint64_t length = own.size();
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(local_.size()));
  STARLING_TRY(collectives.allgather(local_, &length, lengths.data(), sizeof length));
  const std::size_t longest = std::max<std::size_t>(*std::ranges::max_element(lengths), 1);
  std::string mine = own;
  mine.resize(longest);
  std::string all(longest * lengths.size(), '\0');
  STARLING_TRY(collectives.allgather(local_, mine.data(), all.data(), static_cast<std::int64_t>(longest)));
  std::vector<std::string> ours;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) ours.push_back(all.substr(rank * longest, lengths[rank]));
  ByteWriter out;
  out.put_list(ours, [](ByteWriter& to, const std::string& text) { to.put_text(text); });
  Result<LeaderExchange::Exchanged> exchanged = exchange_.exchange(words_of(out.bytes()));
  if (!exchanged.ok()) return std::move(exchanged).status();
  std::vector<std::string> theirs = texts_of(bytes_of(exchanged.value().theirs));
  std::vector<std::string> texts = groups_.takes ? ours : theirs;
  const std::vector<std::string>& others = groups_.takes ? theirs : ours;
  texts.insert(texts.end(), others.begin(), others.end());
  std::vector<RankCard> cards;
  for (const std::string& text : texts) {
    if (text.empty()) return failed_elsewhere();
    Result<RankCard> card = RankCard::parse(text, static_cast<std::int32_t>(texts.size()));
    if (!card.ok()) return std::move(card).status();
    cards.push_back(std::move(card).value());
  }
  const bool are_all = cards.size() == groups_.ours.members.size() + groups_.theirs.members.size();
  return are_all ? Result<std::vector<RankCard>>(std::move(cards)) : failed_elsewhere();
}

Result<OwnCard::Common> SpanningConnection::agree_on_common() {
  OwnCard::Common common;
  ByteWriter out;
  std::uint64_t id = 0;
  STARLING_TRY(fill_randomly(std::as_writable_bytes(std::span(&id, 1))));
  out.put(id).put_text(world_.config().alike());
  Result<LeaderExchange::Exchanged> exchanged = exchange_.exchange(words_of(out.bytes()));
  if (!exchanged.ok()) return std::move(exchanged).status();
  const std::string bytes = bytes_of(groups_.takes ? exchanged.value().ours : exchanged.value().theirs);
  ByteReader in(bytes);
  common.id = in.get<std::uint64_t>();
  common.alike = in.get_text();
  Result<Secret> secret = share_secret();
  if (!secret.ok()) return std::move(secret).status();
  common.secret = secret.value();
  return common;
}

Result<Secret> SpanningConnection::share_secret() {
  const Secret* const key = secret_of(world_, local_);
  Seal seal;
  Status sealed;
  if (exchange_.leads()) {
    Result<Secret> secret = secret_of_leaders();
    Result<Seal> closed = secret.ok() ? Seal::close(secret.value(), key) : Result<Seal>(std::move(secret).status());
    if (closed.ok()) {
      seal = closed.value();
    } else {
      sealed = std::move(closed).status();
    }
  }
  // Of a leader that has none the seal is empty, and everybody fails to join.
  STARLING_TRY(world_.collectives().broadcast(local_, &seal, sizeof seal, exchange_.leader()));
  STARLING_TRY(std::move(sealed));
  return seal.open(key);
}

Result<Secret> SpanningConnection::secret_of_leaders() {
  const Secret* const key = secret_of(world_, *between_);
  Secret secret;
  Status drawn = fill_randomly(secret);
  Result<Seal> mine = drawn.ok() ? Seal::close(secret, key) : Result<Seal>(std::move(drawn));
  const Seal sent = mine.ok() ? mine.value() : Seal();
  // Also of a leader that has failed, for the other one waits for it.
  Result<Words> theirs = exchange_.ask_other_leader(words_of({reinterpret_cast<const char*>(&sent), sizeof sent}));
  if (!mine.ok()) return std::move(mine).status();
  if (!theirs.ok()) return std::move(theirs).status();
  if (groups_.takes) return secret;
  const std::string bytes = bytes_of(theirs.value());
  Seal seal;
  if (bytes.size() == sizeof seal) std::memcpy(&seal, bytes.data(), sizeof seal);
  return seal.open(key);
}

}  // namespace starling::world
