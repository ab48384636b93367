// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/pmi2_exchange.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/pmi/fields.hpp"
#include "bootstrap/pmi/node_map.hpp"
#include "bootstrap/pmi/pieces.hpp"

namespace starling::bootstrap {
namespace {

constexpr std::size_t kLengthCharacters = 6;

Status misunderstood(const std::string& request, const std::string& answer) {
  return Status::error(ErrorClass::kOther,
                       formatted("the launcher answered '{}' with '{}' (PMI-2)", request, printable(answer)));
}

Status send_message(Wire& wire, const std::string& message) {
  return wire.send(formatted("{:6}{}", message.size(), message));
}

Result<std::string> receive_message(Wire& wire, const std::string& request) {
  Result<std::string> length = wire.receive(kLengthCharacters);
  if (!length.ok()) return length;
  std::string_view digits = length.value();
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  std::size_t bytes = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (error != std::errc() || digits.find_first_not_of("0123456789 ") != std::string_view::npos) {
    return misunderstood(request, length.value());
  }
  return wire.receive(bytes);
}

/// The answer to "<command>;...", which must be of that command and say no failure.
Result<Fields> ask_message(Wire& wire, const std::string& command, const std::string& arguments) {
  const std::string request = formatted("cmd={};{}", command, arguments);
  STARLING_TRY(send_message(wire, request));
  Result<std::string> answer = receive_message(wire, request);
  if (!answer.ok()) return std::move(answer).status();
  Fields fields(answer.value(), ';');
  const bool failed = fields.find("rc") && !fields.has("rc", "0");
  if (fields.has("cmd", command + "-response") && !failed) return fields;
  return misunderstood(request, answer.value());
}

/// The value that a request asks for.
Result<std::string> ask_message_for(Wire& wire, const std::string& command, const std::string& arguments) {
  Result<Fields> fields = ask_message(wire, command, arguments);
  if (!fields.ok()) return std::move(fields).status();
  const auto value = fields.value().find("value");
  if (value && !fields.value().has("found", "FALSE")) return std::string(*value);
  return Status::error(ErrorClass::kOther, formatted("the launcher has no answer to '{}' (PMI-2)", arguments));
}

/// Which of its versions the launcher shall speak is agreed on in the words of PMI-1.
Status agree_on_version(Wire& wire) {
  const std::string request = "cmd=init pmi_version=2 pmi_subversion=0";
  STARLING_TRY(wire.send(request + "\n"));
  Result<std::string> line = wire.receive_line();
  if (!line.ok()) return std::move(line).status();
  const Fields fields(line.value(), ' ');
  const bool agreed = fields.has("cmd", "response_to_init") && fields.has("pmi_version", "2") && fields.has("rc", "0");
  return agreed ? Status() : misunderstood(request, line.value());
}

/// A value between semicolons. The protocol has doubled ones inside, which Slurm does not understand.
std::string without_semicolons(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, ';', ',');
  return result;
}

}  // namespace

Result<std::unique_ptr<Exchange>> Pmi2Exchange::open(Wire wire, WorldRank rank, std::string job) {
  STARLING_TRY(agree_on_version(wire));
  Result<Fields> all = ask_message(
      wire, "fullinit", formatted("pmijobid={};pmirank={};threaded=FALSE;", without_semicolons(job), rank.value));
  if (!all.ok()) return std::move(all).status();
  const std::optional<std::int32_t> own = all.value().number("rank");
  const std::optional<std::int32_t> size = all.value().number("size");
  if (!own || !size || *own < 0 || *own >= *size) {
    return Status::error(ErrorClass::kOther, "the launcher does not say which rank of how many this is (PMI-2)");
  }
  Result<std::string> mapping = ask_message_for(wire, "info-getjobattr", "key=PMI_process_mapping;");
  if (!mapping.ok()) return std::move(mapping).status();
  Result<std::vector<WorldRank>> here = ranks_on_node_of(WorldRank(*own), *size, mapping.value());
  if (!here.ok()) return std::move(here).status();
  // Slurm says -1.
  const std::int32_t app = std::max(0, all.value().number("appnum").value_or(0));
  Place place{WorldRank(*own), *size, app, std::move(here).value()};
  return std::unique_ptr<Exchange>(new Pmi2Exchange(std::move(place), std::move(wire), std::move(job)));
}

Status Pmi2Exchange::put(std::string_view key, const std::string& value) {
  return put_pieces(value, [&](std::size_t piece, const std::string& text) {
    const std::string name = key_of_piece(place().rank, key, piece);
    return ask_message(wire_, "kvs-put", formatted("key={};value={};", name, text)).status();
  });
}

Status Pmi2Exchange::fence(std::string_view step) {
  Status met = ask_message(wire_, "kvs-fence", "").status();
  return wire_.timed_out() ? others_are_missing(step, "PMI-2, kvs-fence") : std::move(met);
}

Result<std::string> Pmi2Exchange::get(WorldRank owner, std::string_view key) {
  return get_pieces([&](std::size_t piece) {
    const std::string name = key_of_piece(owner, key, piece);
    return ask_message_for(wire_, "kvs-get",
                           formatted("jobid={};srcid={};key={};", without_semicolons(job_), owner.value, name));
  });
}

void Pmi2Exchange::abort(int /*code*/, std::string_view why) noexcept {
  const std::string message =
      formatted("cmd=abort;isworld=TRUE;msg={};", without_semicolons(why.substr(0, kPieceBytes)));
  static_cast<void>(send_message(wire_, message));
}

void Pmi2Exchange::finalize() noexcept { static_cast<void>(ask_message(wire_, "finalize", "")); }

}  // namespace starling::bootstrap
