// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the header of virtual ranks calls.
#include <starling/array/virtual_ranks.hpp>

#include "base/format.hpp"
#include "rank_element.hpp"

namespace starling::array {

namespace detail {

void refuse_letter(const Letter& letter, std::size_t room) {
  throw Error(
      formatted("a message of {} bytes from rank {} with tag {} does not fit into {} bytes: receive it into a "
                "vector, or into as many values as were sent",
                letter.status.bytes, letter.status.source, letter.status.tag, room));
}

}  // namespace detail

int Rank::process() const { return element_->rank(); }
Session& Rank::session() const { return element_->session(); }
char* Rank::room_for(int to, int tag, std::size_t bytes) { return element_->room_for(to, tag, bytes); }
detail::Letter Rank::wait_for_letter(int from, int tag) { return element_->wait_for_letter(from, tag); }
std::optional<Status> Rank::iprobe(int from, int tag) const { return element_->look_for(from, tag); }
Status Rank::probe(int from, int tag) { return element_->probe(from, tag); }
void Rank::contribute(std::uint32_t reducer, const void* value, int root) {
  element_->contribute_for(reducer, value, root);
}
detail::Letter Rank::wait_for_result() { return element_->wait_for_result(); }
void Rank::begin_broadcast(int, const char* bytes, std::size_t size) { element_->begin_broadcast(bytes, size); }
detail::Letter Rank::wait_for_broadcast(int root) { return element_->wait_for_broadcast(root); }
void Rank::yield() { element_->yield(); }

bool Rank::migrate() {
  const int before = process();
  detail::RankElement::migrate(*this);
  return process() != before;
}

bool Rank::migrate_to(int process) {
  if (!element_->layer().can_move()) return false;
  detail::RankElement::migrate_to(*this, process);
  return true;
}

}  // namespace starling::array
