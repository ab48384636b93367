// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/query.hpp"

#include "base/byte_stream.hpp"

namespace starling::launch {
namespace {

Status damaged_query_message() { return Status::error(ErrorClass::kOther, "a damaged message about a query"); }

void put_ranks(ByteWriter& writer, const std::vector<std::int32_t>& ranks) {
  writer.put_list(ranks, [](ByteWriter& to, std::int32_t rank) { to.put(rank); });
}

std::vector<std::int32_t> get_ranks(ByteReader& reader) {
  return reader.get_list<std::int32_t>([](ByteReader& from) { return from.get<std::int32_t>(); });
}

void put_reply(ByteWriter& writer, const NodeReply& reply) { writer.put_text(reply.problem).put_text(reply.bytes); }

NodeReply get_reply(ByteReader& reader) {
  NodeReply reply;
  reply.problem = reader.get_text();
  reply.bytes = reader.get_text();
  return reply;
}

}  // namespace

std::string Query::serialised() const {
  ByteWriter writer;
  writer.put(kind).put_text(text).put(patience_ns);
  put_ranks(writer, ranks);
  return writer.take();
}

Result<Query> Query::parse(std::string_view bytes) {
  constexpr std::int64_t kLongestPatienceNs = 60'000'000'000;
  ByteReader reader(bytes);
  Query query;
  query.kind = reader.get<QueryKind>();
  query.text = reader.get_text();
  query.patience_ns = reader.get<std::int64_t>();
  query.ranks = get_ranks(reader);
  const bool possible =
      query.kind < QueryKind::kKinds && query.patience_ns >= 0 && query.patience_ns <= kLongestPatienceNs;
  if (!reader.ok_and_at_end() || !possible) return damaged_query_message();
  return query;
}

std::string NodeReply::serialised() const {
  ByteWriter writer;
  put_reply(writer, *this);
  return writer.take();
}

Result<NodeReply> NodeReply::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  NodeReply reply = get_reply(reader);
  if (!reader.ok_and_at_end()) return damaged_query_message();
  return reply;
}

std::string Answers::serialised() const {
  ByteWriter writer;
  writer.put(ranks).put_list(nodes, [](ByteWriter& to, const NodeAnswer& node) {
    to.put_text(node.host);
    put_ranks(to, node.ranks);
    put_reply(to, node.reply);
  });
  return writer.take();
}

Result<Answers> Answers::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Answers answers;
  answers.ranks = reader.get<std::int32_t>();
  answers.nodes = reader.get_list<NodeAnswer>([](ByteReader& from) {
    NodeAnswer node;
    node.host = from.get_text();
    node.ranks = get_ranks(from);
    node.reply = get_reply(from);
    return node;
  });
  if (!reader.ok_and_at_end() || answers.ranks < 0) return damaged_query_message();
  return answers;
}

}  // namespace starling::launch
