// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallSites: numbers the places from which the ranks of a log call MPI. What is called the same has the same number, on
// all ranks and hosts.
// Thread safety: none. Memory: by places.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/log/trace_log.hpp"
#include "trace/model/site_namer.hpp"
#include "trace/model/timeline_sink.hpp"

namespace starling::trace {

class CallSites {
 public:
  CallSites(const TraceLog& log, SiteNamer name_of)
      : log_(log), name_of_(std::move(name_of)), known_(log.ranks().size()) {}

  /// Its number, from 1, which the sink hears of before it is used; 0: it is not known where the address lies. address:
  /// in the process of the rank.
  std::uint32_t number(std::int32_t rank, std::uint64_t address, TimelineSink& sink);

 private:
  [[nodiscard]] std::uint32_t find(std::int32_t rank, std::uint64_t address, TimelineSink& sink);
  [[nodiscard]] std::string text_of(const SiteAddress& place) const;

  const TraceLog& log_;
  SiteNamer name_of_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_;  ///< of each rank, by address
  std::map<SiteAddress, std::uint32_t> places_;
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace starling::trace
