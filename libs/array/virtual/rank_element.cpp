// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rank_element.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/format.hpp"
#include "fiber/image.hpp"
#include "population/array_core.hpp"

namespace starling::array::detail {

namespace {

constexpr double kFlushAfter_s = 20e-6;  // that a rank computed, before what it posted leaves
constexpr std::size_t kFirstHeap = std::size_t{64} << 10;

}  // namespace

void Rest::serialize(Archive& archive) {
  if (!archive.is_reading()) return archive.bytes(const_cast<char*>(bytes), size);
  bytes = archive.position();
  size = archive.left();
  archive.skip(size);
}

/// It stays on its process, also where the session is restless; until ~VirtualRanks.
RankTeller::RankTeller() { entry_being_built()->suspended = 1; }

void RankTeller::tell(const Future<Progress>& to) {
  const auto& layer = *static_cast<RankLayer*>(array().core().layer().get());
  Progress progress;
  for (const Entry* each : layer.ranks->elements().here()) {
    const auto waits = static_cast<RankElement*>(each->object)->waits();
    progress.done += waits == RankElement::Waits::kDone ? 1 : 0;
    progress.at_migrate += waits == RankElement::Waits::kMigrate ? 1 : 0;
  }
  contribute(progress, AddProgress{}, to);
}

RankElement::RankElement() : entry_(entry_being_built()) {}

RankElement::~RankElement() {
  if (!has_slot()) return;
  if (!is_packed_) {
    stop();
    return;
  }
  layer().counters.moved_bytes += packed_bytes_;
  layer().slots->give(number(), this);
}

RankLayer& RankElement::layer() const { return *static_cast<RankLayer*>(array().core().layer().get()); }

RankElement::Slot& RankElement::slot() const {
  return *reinterpret_cast<Slot*>(layer().slots->heap(number()) - (sizeof(Slot) + 63) / 64 * 64);
}

// An element with something that waits in it stays where it is.
void RankElement::stay() { entry_->suspended = 1; }
void RankElement::may_leave() { entry_->suspended = 0; }

/// A process that is ahead may have begun the next run; what is left of one that failed is nobody's any more.
bool RankElement::is_of_now(std::uint32_t run) const {
  RankLayer& here = layer();
  if (run < here.run) return false;
  here.run = run;
  return true;
}

void RankElement::start(std::uint32_t run) {
  if (!is_of_now(run)) return;
  RankLayer& here = layer();
  Slots& slots = *here.slots;
  const std::size_t first_heap = std::min(kFirstHeap, slots.layout().heap);
  if (!slots.take(number(), this, first_heap)) {
    throw Error(formatted("the system has no memory, or no more mappings (vm.max_map_count), for the stack of rank {}",
                          index()));
  }
  auto* heap = new (slots.heap(number())) Heap(slots.layout().heap, first_heap, &Slots::commit);
  char* bottom = slots.stack(number());
  new (&slot())
      Slot(bottom, static_cast<std::size_t>(reinterpret_cast<char*>(&slot()) - bottom), *this, here.count, heap);
  broadcasts_ = 0;
  std::erase_if(kept_, [run](const Kept& each) { return each.run != run; });
  early_broadcasts_.clear();
  stay();
  waits_ = Waits::kTurn;
  queue_turn();
}

/// The first frame of a rank.
void RankElement::body(void* slot) {
  auto& self = *static_cast<Slot*>(slot);
  try {
    if (!self.rank.element_->is_stopped_) self.rank.element_->layer().main(self.rank);
  } catch (const Stopped&) {
  } catch (...) {
    self.rank.element_->broken_ = std::current_exception();
  }
}

/// The rank goes on until it waits for something else.
void RankElement::resume() {
  waits_ = Waits::kRuns;
  is_packed_ = false;
  Fiber& fiber = slot().fiber;
  fiber.resume();
  if (fiber.is_done()) {
    leave_slot();
    waits_ = Waits::kDone;
    may_leave();
  }
  taken_.clear();
  RankLayer& here = layer();
  const double now_s = wall_s();
  if (now_s - here.flushed_s > kFlushAfter_s) {
    // Others need not wait for what the next ranks of this process compute.
    array().core().host().records().flush();
    here.flushed_s = now_s;
  }
  if (broken_) std::rethrow_exception(std::exchange(broken_, nullptr));
}

/// On the fiber.
void RankElement::wait(Waits what) {
  if (is_stopped_) throw Stopped{};
  Slot& mine = slot();
  waits_ = what;
  mine.fiber.suspend();
  if (mine.rank.element_->is_stopped_) throw Stopped{};
}

void RankElement::leave_slot() {
  slot().fiber.end();
  layer().slots->give(number(), this);
}

void RankElement::stop() {
  if (!has_slot()) return;
  is_stopped_ = true;
  constexpr int kTries = 100;  // where the program keeps catching it, it keeps its stack
  for (int i = 0; i < kTries && !slot().fiber.is_done(); ++i) slot().fiber.resume();
  leave_slot();
  waits_ = Waits::kDone;
  broken_ = nullptr;
  may_leave();
}

void RankElement::check_peer(int rank, const char* call) const {
  if (rank >= 0 && rank < layer().count) return;
  throw Error(
      formatted("rank {} calls {} with rank {}, but there are ranks 0 to {}", index(), call, rank, layer().count - 1));
}

char* RankElement::room_for(int to, int tag, std::size_t bytes) {
  if (is_stopped_) return nullptr;
  check_peer(to, "send");
  if (tag < 0) throw Error(formatted("rank {} sends with tag {}: tags are 0 or more", index(), tag));
  const Heading heading{layer().run, index(), tag};
  const Index name = IndexBytes<int>::pack(to);
  char* room =
      ordered_room(array().core(), name, Method<RankElement, &RankElement::take>::kNumber, {}, sizeof heading + bytes);
  if (room == nullptr) return nullptr;
  std::memcpy(room, &heading, sizeof heading);
  return room + sizeof heading;
}

bool RankElement::matches(const Status& status, int from, int tag) {
  return (from == kAnySource || from == status.source) && (tag == kAnyTag || tag == status.tag);
}

void RankElement::take(Heading heading, Rest letter) {
  if (!is_of_now(heading.run)) return;
  const Status status{heading.source, heading.tag, letter.size};
  const bool is_wanted = matches(status, wanted_source_, wanted_tag_);
  if (waits_ == Waits::kLetter && is_wanted) {
    arrived_ = {status, letter.bytes};
    return resume();
  }
  kept_.push_back({heading.run, status, std::vector<char>(letter.bytes, letter.bytes + letter.size)});
  if (waits_ == Waits::kProbe && is_wanted) resume();
}

std::optional<Status> RankElement::look_for(int from, int tag) const {
  for (const Kept& each : kept_) {
    if (matches(each.status, from, tag)) return each.status;
  }
  return std::nullopt;
}

Letter RankElement::wait_for_letter(int from, int tag) {
  if (from != kAnySource) check_peer(from, "recv");
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (!matches(each->status, from, tag)) continue;
    arrived_.status = each->status;
    taken_ = std::move(each->bytes);
    arrived_.bytes = taken_.data();
    kept_.erase(each);
    return arrived_;
  }
  wanted_source_ = from;
  wanted_tag_ = tag;
  wait(Waits::kLetter);
  return arrived_;
}

Status RankElement::probe(int from, int tag) {
  if (from != kAnySource) check_peer(from, "probe");
  std::optional<Status> found = look_for(from, tag);
  if (found) return *found;
  wanted_source_ = from;
  wanted_tag_ = tag;
  wait(Waits::kProbe);
  return look_for(from, tag).value();
}

void RankElement::contribute_for(std::uint32_t reducer, const void* value, int root) {
  if (is_stopped_) throw Stopped{};
  ArrayCore& ranks = array().core();
  Callback to;
  to.destination = Callback::Destination::kBroadcast;
  if (root >= 0) {
    check_peer(root, "a collective");
    to.destination = Callback::Destination::kElement;
    to.index = IndexBytes<int>::pack(root);
  }
  to.array = ranks.number();
  to.method = Method<RankElement, &RankElement::take_result>::kNumber;
  detail::contribute(*entry_, reducer, value, to);
}

Letter RankElement::wait_for_result() {
  wait(Waits::kResult);
  return arrived_;
}

void RankElement::take_result(Rest result) {
  if (waits_ != Waits::kResult) {
    throw Error(
        formatted("rank {} gets the result of a collective that it does not wait for: all ranks call the same "
                  "collectives, with one root, in the same order",
                  index()));
  }
  arrived_ = {{kAnySource, kAnyTag, result.size}, result.bytes};
  resume();
}

void RankElement::begin_broadcast(const char* bytes, std::size_t size) {
  if (is_stopped_) throw Stopped{};
  ++broadcasts_;
  array().broadcast<&RankElement::take_broadcast>(layer().run, index(), broadcasts_, Rest{bytes, size});
}

Letter RankElement::wait_for_broadcast(int root) {
  check_peer(root, "broadcast");
  ++broadcasts_;
  const auto early = early_broadcasts_.find(broadcasts_);
  if (early == early_broadcasts_.end()) {
    wait(Waits::kBroadcast);
  } else {
    arrived_.status = early->second.status;
    taken_ = std::move(early->second.bytes);
    arrived_.bytes = taken_.data();
    early_broadcasts_.erase(early);
  }
  if (arrived_.status.source == root) return arrived_;
  throw Error(
      formatted("rank {} waits for a broadcast of rank {}, and rank {} began one: all ranks call the same "
                "collectives, with one root, in the same order",
                index(), root, arrived_.status.source));
}

void RankElement::take_broadcast(std::uint32_t run, std::int32_t root, std::uint32_t number, Rest value) {
  if (!is_of_now(run) || root == index() || waits_ == Waits::kDone) return;
  const Status status{root, kAnyTag, value.size};
  if (waits_ != Waits::kBroadcast || number != broadcasts_) {
    early_broadcasts_[number] = {run, status, std::vector<char>(value.bytes, value.bytes + value.size)};
    return;
  }
  arrived_ = {status, value.bytes};
  resume();
}

void RankElement::queue_turn() { array()[index()].send<&RankElement::go_on>(layer().run); }

void RankElement::yield() {
  queue_turn();
  wait(Waits::kTurn);
}

void RankElement::go_on(std::uint32_t run) {
  if (!is_of_now(run)) return;
  if (waits_ != Waits::kTurn && waits_ != Waits::kMigrate && waits_ != Waits::kMoves) return;
  stay();
  resume();
}

void RankElement::migrate(Rank& self) {
  RankElement& here = *self.element_;
  if (const char* why = Fiber::may_leave()) {
    throw Error(formatted("rank {} calls migrate() {}: call it outside, as exceptions do not move", self.rank_, why));
  }
  if (here.layer().can_move()) here.may_leave();
  here.wait(Waits::kMigrate);
}

void RankElement::migrate_to(Rank& self, int process) {
  RankElement& here = *self.element_;
  if (const char* why = Fiber::may_leave()) {
    throw Error(
        formatted("rank {} calls migrate_to() {}: call it outside, as exceptions do not move", self.rank_, why));
  }
  if (here.is_stopped_) throw Stopped{};
  here.Element<RankElement>::migrate_to(process);
  here.queue_turn();
  here.may_leave();
  here.wait(Waits::kMoves);
}

std::string RankElement::waits_for() {
  const auto peer = [](int number) { return number < 0 ? std::string("any") : formatted("{}", number); };
  switch (waits_) {
    case Waits::kLetter:
    case Waits::kProbe: {
      const std::string kept = kept_.empty() ? "" : formatted(", with {} other messages", kept_.size());
      return formatted("rank {} in {} (source {}, tag {}){}", index(), waits_ == Waits::kProbe ? "probe" : "recv",
                       peer(wanted_source_), peer(wanted_tag_), kept);
    }
    case Waits::kResult: return formatted("rank {} in a collective that others do not call", index());
    case Waits::kBroadcast: return formatted("rank {} in a broadcast that its root does not call", index());
    case Waits::kMigrate: return formatted("rank {} in migrate(), which all ranks call", index());
    case Waits::kUnstarted:
    case Waits::kRuns:
    case Waits::kTurn:
    case Waits::kMoves:
    case Waits::kDone: break;
  }
  return "";
}

void RankElement::serialize(Archive& archive) {
  Waits state = waits_;
  archive(state, broadcasts_, kept_, early_broadcasts_);
  if (archive.is_reading()) {
    waits_ = state;
    if (has_slot()) unpack_slot(archive);
  } else if (has_slot()) {
    if (state != Waits::kMigrate && state != Waits::kMoves) {
      throw Error(formatted("rank {} runs: it moves where it calls migrate(), and is in no checkpoint", index()));
    }
    pack_slot(archive);
  }
}

void RankElement::pack_slot(Archive& archive) {
  const Slot& mine = slot();
  const char* heap = layer().slots->heap(number());
  const char* from = mine.fiber.used_from();
  forget_stack_marks(from, static_cast<std::size_t>(heap - from));
  Image image;
  image.add(from, heap);
  mine.heap->each_part([&](const char* begin, const char* end) { image.add(begin, end); });
  std::size_t committed = mine.heap->committed();
  archive(committed);
  image.pack(archive);
  is_packed_ = true;
  packed_bytes_ = image.bytes();
}

void RankElement::unpack_slot(Archive& archive) {
  RankLayer& here = layer();
  std::size_t committed = 0;
  archive(committed);
  if (!here.slots) {
    waits_ = Waits::kDone;
    throw Error(formatted("rank {} arrives where its VirtualRanks are gone", index()));
  }
  Slots& slots = *here.slots;
  if (committed > slots.layout().heap || !slots.take(number(), this, committed)) {
    waits_ = Waits::kDone;
    throw Error(formatted("the system has no memory, or no more mappings (vm.max_map_count), for rank {}", index()));
  }
  char* from = slots.stack(number());
  forget_stack_marks(from, slots.layout().stack);
  Image::unpack(archive, from, from + slots.layout().stack + slots.layout().heap);
  slot().fiber.arrive();
  slot().rank.element_ = this;
  ++here.counters.arrived;
}

}  // namespace starling::array::detail
