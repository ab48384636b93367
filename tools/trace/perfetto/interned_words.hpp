// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// InternedWords: the interned words of a file that is read, and what those mean that are Starling's own.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/call.hpp"

namespace starling::trace::perfetto {

enum class Category : std::uint8_t { kNone, kCall, kCollective, kWait, kMessage, kTotal, kNote };
enum class Key : std::uint8_t {
  kNone,
  kPeer,
  kTag,
  kBytes,
  kCommunicator,
  kNumber,
  kRoot,
  kSkipped,
  kCulprit,
  kInferred,
  kFunction,
  kCallSite,
  kCount,
  kPeakBytes,
  kProcessorTime,
  kTakenOff,
  kSwapped,
  kRunning,
  kCores,
  kQuota,
  kPeriods,
  kThrottled,
  kSwapIns
};
enum class Name : std::uint8_t { kFree, kSent, kReceived, kAllToPeer, kAllCalls, kUsage, kHost, kLost, kCause };

class InternedWords {
 public:
  struct NamedWord {
    std::string text;
    Name name = Name::kFree;
    Cause cause = Cause::kLibrary;
  };

  /// A packet's field InternedData. False: it is damaged.
  bool add(std::string_view interned_data);

  [[nodiscard]] Category category(std::uint64_t iid) const { return at(categories_, iid); }
  [[nodiscard]] Key key(std::uint64_t iid) const { return at(keys_, iid); }
  [[nodiscard]] const NamedWord& name(std::uint64_t iid) const { return at(names_, iid); }
  [[nodiscard]] bool has_name(std::uint64_t iid) const { return iid < names_.size(); }
  [[nodiscard]] const std::string& value(std::uint64_t iid) const { return at(values_, iid); }

 private:
  template <class T>
  [[nodiscard]] static const T& at(const std::vector<T>& words, std::uint64_t iid) {
    static const T kNone{};
    return iid < words.size() ? words[iid] : kNone;
  }
  void add_word(std::uint32_t field, std::uint64_t iid, std::string_view text);

  std::vector<Category> categories_;
  std::vector<Key> keys_;
  std::vector<NamedWord> names_;
  std::vector<std::string> values_;
};

}  // namespace starling::trace::perfetto
