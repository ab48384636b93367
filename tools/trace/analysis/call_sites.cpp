// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/call_sites.hpp"

#include "base/format.hpp"

namespace starling::trace {

std::uint32_t CallSites::number(std::int32_t rank, std::uint64_t address, TimelineSink& sink) {
  if (address == 0) return 0;
  const auto [place, is_new] = known_[static_cast<std::size_t>(rank)].try_emplace(address, 0);
  if (is_new) place->second = find(rank, address, sink);
  return place->second;
}

std::uint32_t CallSites::find(std::int32_t rank, std::uint64_t address, TimelineSink& sink) {
  for (const LoggedModule& module : log_.ranks()[static_cast<std::size_t>(rank)].modules) {
    if (address < module.begin || address >= module.end) continue;
    const SiteAddress place{module.path, module.id, address - module.bias};
    const auto [known, is_new] = places_.try_emplace(place, 0);
    if (!is_new) return known->second;
    const std::string text = text_of(place);
    const auto [number, is_new_text] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size() + 1));
    if (is_new_text) sink.site(number->second, text);
    return known->second = number->second;
  }
  return 0;
}

std::string CallSites::text_of(const SiteAddress& place) const {
  std::string text = name_of_ ? name_of_(place) : std::string();
  if (text.empty()) text = formatted("{}+{:#x}", place.path.substr(place.path.rfind('/') + 1), place.address);
  return text;
}

}  // namespace starling::trace
