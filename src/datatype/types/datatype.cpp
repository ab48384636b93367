// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/types/datatype.hpp"

#include <utility>

#include "datatype/plan/plan.hpp"

namespace starling::datatype {

Datatype::Datatype(const Layout& layout, Basic predefined, Contents contents)
    : layout_(layout),
      predefined_(predefined),
      committed_(predefined != Basic::kNone),
      contents_(std::make_unique<const Contents>(std::move(contents))) {}

Datatype::~Datatype() { delete plan_.load(std::memory_order_acquire); }

std::uint64_t Datatype::signature_hash(std::int64_t count) const noexcept {
  return repeat_signature(layout_.signature, layout_.elements, count);
}

const Contents& Datatype::contents() const noexcept {
  static const Contents named;
  return contents_ ? *contents_ : named;
}

void* Datatype::user_handle() const noexcept {
  if (user_handle_) return user_handle_;
  if (is_predefined()) {
    constexpr std::uintptr_t kFirstHandle = 0x200;
    return reinterpret_cast<void*>(kFirstHandle + info(predefined_).code);
  }
  return const_cast<Datatype*>(this);
}

}  // namespace starling::datatype
