// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PacketWriter: packets of Perfetto's trace format: tracks, slices, instants, annotations, interned words. What the
// events are about it does not know.
// Thread safety: none. All packets are of one sequence, so a word is interned once for the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/file/output_file.hpp"
#include "trace/perfetto/field_numbers.hpp"
#include "trace/perfetto/message_writer.hpp"

namespace starling::trace::perfetto {

/// A word by its number in the file.
struct Word {
  std::uint64_t iid = 0;
};

class PacketWriter {
 public:
  explicit PacketWriter(OutputFile& file);

  /// rank: its place among the tracks of its parent. parent 0: it has none. Returns its number.
  std::uint64_t track(std::string_view name, std::uint64_t parent, std::int32_t rank);

  Word category(std::string_view text) { return word(InternedData::kEventCategories, text); }
  Word name(std::string_view text) { return word(InternedData::kEventNames, text); }
  Word key(std::string_view text) { return word(InternedData::kDebugAnnotationNames, text); }
  Word value(std::string_view text) { return word(InternedData::kDebugAnnotationStringValues, text); }

  // An event is begun, may be given annotations and a flow, and is finished.
  void begin_slice(std::uint64_t track, std::int64_t ns, Word category, Word name);
  void begin_instant(std::uint64_t track, std::int64_t ns, Word category, Word name);
  void annotate(Word key, std::int64_t number);
  void annotate(Word key, Word value);
  void annotate_true(Word key);
  /// The flow begins here or passes through.
  void flow(std::uint64_t flow);
  void last_of_flow(std::uint64_t flow);
  void finish();

  void end_slice(std::uint64_t track, std::int64_t ns);
  /// Hands everything to the file.
  void flush();

 private:
  using Words = std::unordered_map<std::string, std::uint64_t>;

  Word word(std::uint32_t field, std::string_view text);
  [[nodiscard]] std::size_t open_packet(std::uint64_t flags);
  void close_packet(std::size_t packet);
  void open_event(std::uint64_t track, std::int64_t ns, std::uint64_t type);

  OutputFile& file_;
  MessageWriter out_;
  std::unordered_map<std::uint32_t, Words> words_;  ///< by the field of InternedData
  std::uint64_t tracks_ = 0;
  std::size_t packet_ = 0;  ///< the event that has been begun
  std::size_t event_ = 0;
};

}  // namespace starling::trace::perfetto
