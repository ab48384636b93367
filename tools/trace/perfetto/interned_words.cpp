// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto/interned_words.hpp"

#include <utility>

#include "trace/perfetto/field_numbers.hpp"
#include "trace/perfetto/vocabulary.hpp"
#include "trace/perfetto/wire.hpp"

namespace starling::trace::perfetto {
namespace {

constexpr std::uint64_t kMostWords = std::uint64_t{1} << 20;

template <class T, std::size_t count>
T meaning_of(std::string_view text, const std::pair<std::string_view, T> (&known)[count]) {
  for (const auto& [word, meaning] : known)
    if (word == text) return meaning;
  return T{};
}

constexpr std::pair<std::string_view, Category> kCategories[] = {
    {vocabulary::kCallCategory, Category::kCall},   {vocabulary::kCollectiveCategory, Category::kCollective},
    {vocabulary::kWaitCategory, Category::kWait},   {vocabulary::kMessageCategory, Category::kMessage},
    {vocabulary::kTotalCategory, Category::kTotal}, {vocabulary::kNoteCategory, Category::kNote}};

constexpr std::pair<std::string_view, Key> kKeys[] = {
    {vocabulary::kPeer, Key::kPeer},           {vocabulary::kTag, Key::kTag},
    {vocabulary::kBytes, Key::kBytes},         {vocabulary::kCommunicator, Key::kCommunicator},
    {vocabulary::kNumber, Key::kNumber},       {vocabulary::kRoot, Key::kRoot},
    {vocabulary::kSkipped, Key::kSkipped},     {vocabulary::kCulprit, Key::kCulprit},
    {vocabulary::kInferred, Key::kInferred},   {vocabulary::kFunction, Key::kFunction},
    {vocabulary::kCallSite, Key::kCallSite},   {vocabulary::kCount, Key::kCount},
    {vocabulary::kPeakBytes, Key::kPeakBytes}, {vocabulary::kProcessorTime, Key::kProcessorTime},
    {vocabulary::kTakenOff, Key::kTakenOff},   {vocabulary::kSwapped, Key::kSwapped},
    {vocabulary::kRunning, Key::kRunning},     {vocabulary::kCores, Key::kCores},
    {vocabulary::kQuota, Key::kQuota},         {vocabulary::kPeriods, Key::kPeriods},
    {vocabulary::kThrottled, Key::kThrottled}, {vocabulary::kSwapIns, Key::kSwapIns}};

constexpr std::pair<std::string_view, Name> kNames[] = {{vocabulary::kSent, Name::kSent},
                                                        {vocabulary::kReceived, Name::kReceived},
                                                        {vocabulary::kAllToPeer, Name::kAllToPeer},
                                                        {vocabulary::kAllCalls, Name::kAllCalls},
                                                        {vocabulary::kUsage, Name::kUsage},
                                                        {vocabulary::kHost, Name::kHost},
                                                        {vocabulary::kLost, Name::kLost}};

template <class T>
T& place(std::vector<T>& words, std::uint64_t iid) {
  if (iid >= words.size()) words.resize(iid + 1);
  return words[iid];
}

}  // namespace

bool InternedWords::add(std::string_view interned_data) {
  for (Field entry; take_field(interned_data, &entry);) {
    if (entry.type != WireType::kBytes) continue;
    std::uint64_t iid = 0;
    std::string_view text, rest = entry.bytes;
    for (Field part; take_field(rest, &part);) {
      if (part.number == InternedData::kIid && part.type == WireType::kVarint) iid = part.value;
      if (part.number == InternedData::kText && part.type == WireType::kBytes) text = part.bytes;
    }
    if (!rest.empty() || iid == 0 || iid > kMostWords) return false;
    add_word(entry.number, iid, text);
  }
  return interned_data.empty();
}

void InternedWords::add_word(std::uint32_t field, std::uint64_t iid, std::string_view text) {
  switch (field) {
    case InternedData::kEventCategories: place(categories_, iid) = meaning_of(text, kCategories); return;
    case InternedData::kDebugAnnotationNames: place(keys_, iid) = meaning_of(text, kKeys); return;
    case InternedData::kDebugAnnotationStringValues: place(values_, iid) = text; return;
    case InternedData::kEventNames: break;
    default: return;
  }
  NamedWord& word = place(names_, iid);
  word = {std::string(text), meaning_of(text, kNames), Cause::kLibrary};
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    if (cause_name(static_cast<Cause>(cause)) != text) continue;
    word.name = Name::kCause;
    word.cause = static_cast<Cause>(cause);
  }
}

}  // namespace starling::trace::perfetto
