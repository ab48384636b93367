// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/pmi1_exchange.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/pmi/node_map.hpp"
#include "bootstrap/pmi/pieces.hpp"

namespace starling::bootstrap {
namespace {

/// The answer to a line, which must be this command and say no failure.
Result<Fields> ask_line(Wire& wire, const std::string& request, std::string_view answer) {
  STARLING_TRY(wire.send(request + "\n"));
  Result<std::string> line = wire.receive_line();
  if (!line.ok()) return std::move(line).status();
  Fields fields(line.value(), ' ');
  const bool failed = fields.find("rc") && !fields.has("rc", "0");
  if (fields.has("cmd", answer) && !failed) return fields;
  return Status::error(ErrorClass::kOther,
                       formatted("the launcher answered '{}' with '{}' (PMI-1)", request, printable(line.value())));
}

/// The value of a field of the answer.
Result<std::string> ask_line_for(Wire& wire, const std::string& request, std::string_view answer,
                                 std::string_view field) {
  Result<Fields> fields = ask_line(wire, request, answer);
  if (!fields.ok()) return std::move(fields).status();
  if (const auto value = fields.value().find(field)) return std::string(*value);
  return Status::error(ErrorClass::kOther,
                       formatted("the launcher's answer to '{}' has no {} (PMI-1)", request, field));
}

Result<std::string> get_line_value(Wire& wire, const std::string& space, const std::string& key) {
  return ask_line_for(wire, formatted("cmd=get kvsname={} key={}", space, key), "get_result", "value");
}

}  // namespace

Result<std::unique_ptr<Exchange>> Pmi1Exchange::open(Wire wire, WorldRank rank, std::int32_t size) {
  Result<Fields> greeted = ask_line(wire, "cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  if (!greeted.ok()) return std::move(greeted).status();
  Result<std::string> space = ask_line_for(wire, "cmd=get_my_kvsname", "my_kvsname", "kvsname");
  if (!space.ok()) return std::move(space).status();
  Result<Fields> app = ask_line(wire, "cmd=get_appnum", "appnum");
  if (!app.ok()) return std::move(app).status();
  Result<std::string> mapping = get_line_value(wire, space.value(), "PMI_process_mapping");
  if (!mapping.ok()) return std::move(mapping).status();
  Result<std::vector<WorldRank>> here = ranks_on_node_of(rank, size, mapping.value());
  if (!here.ok()) return std::move(here).status();
  Place place{rank, size, std::max(0, app.value().number("appnum").value_or(0)), std::move(here).value()};
  return std::unique_ptr<Exchange>(new Pmi1Exchange(std::move(place), std::move(wire), std::move(space).value()));
}

Status Pmi1Exchange::put(std::string_view key, const std::string& value) {
  return put_pieces(value, [&](std::size_t piece, const std::string& text) {
    const std::string name = key_of_piece(place().rank, key, piece);
    return ask_line(wire_, formatted("cmd=put kvsname={} key={} value={}", space_, name, text), "put_result").status();
  });
}

Status Pmi1Exchange::fence(std::string_view step) {
  Status met = ask_line(wire_, "cmd=barrier_in", "barrier_out").status();
  return wire_.timed_out() ? others_are_missing(step, "PMI-1, barrier_in") : std::move(met);
}

Result<std::string> Pmi1Exchange::get(WorldRank owner, std::string_view key) {
  return get_pieces([&](std::size_t piece) { return get_line_value(wire_, space_, key_of_piece(owner, key, piece)); });
}

void Pmi1Exchange::abort(int code, std::string_view /*why*/) noexcept {
  static_cast<void>(wire_.send(formatted("cmd=abort exitcode={}\n", code)));
}

void Pmi1Exchange::finalize() noexcept { static_cast<void>(ask_line(wire_, "cmd=finalize", "finalize_ack")); }

}  // namespace starling::bootstrap
