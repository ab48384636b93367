// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrayCore: one process's part of an array: its elements and the parts that care for them, put together. How elements
// begin, move and end is in the parts, which see each other through an ArrayContext.
//
// **Thread safety**: none. **Invariants**: those of ArrayContext.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "array_context.hpp"
#include "creation.hpp"
#include "deletion.hpp"
#include "migration.hpp"

namespace starling::array::detail {

class ArrayCore final : public Mover {
 public:
  ArrayCore(const Places& places, Host& host, Streams& streams, std::uint16_t number, const ElementType& type,
            std::uint32_t default_constructor, ArrayPlan plan);
  ~ArrayCore();
  ArrayCore(const ArrayCore&) = delete;
  ArrayCore& operator=(const ArrayCore&) = delete;

  Host& host() { return host_; }
  Streams& streams() { return streams_; }
  std::uint16_t number() const { return elements_.number(); }
  Elements& elements() { return elements_; }
  const Elements& elements() const { return elements_; }
  Router& router() { return router_; }
  Broadcasts& broadcasts() { return broadcasts_; }
  Reductions& reductions() { return reductions_; }
  Balancer& balancer() { return balancer_; }
  Sections& sections() { return sections_; }
  Landings& landings() { return landings_; }
  Creation& creation() { return creation_; }
  Migration& migration() { return migration_; }
  Deletion& deletion() { return deletion_; }
  /// What a layer above keeps for the array on this process; it outlives the elements.
  std::shared_ptr<void>& layer() { return layer_; }

  /// After an element ran: it may leave or be deleted.
  void after(Entry& entry) {
    if (entry.suspended != 0) return;
    if (entry.is_dying || entry.is_leaving || host_.settings.is_restless) leave_or_die(entry);
  }
  /// Whether there may be some of what catch_up() brings.
  bool is_behind(const Entry& entry) const { return entry.broadcast < broadcasts_.last() || entry.extras != nullptr; }
  /// The element gets what concerns all and came while it was not here, or lacked a mark.
  void catch_up(Entry& entry);
  // Mover.
  void move(const Index& index, int to) override;

  // Checkpoints: contents.cpp.
  void pack_all(Archive& archive);
  enum class Whose : std::uint8_t { kMine, kAll };  // those whose home this is, or all
  void unpack(Archive& archive, const std::string& path, Whose whose);

  // Other processes: renewal.cpp.
  /// To a process that stays: messages that wait here, and what this home knows of deleted elements.
  void hand_over(int to);
  /// As if the array had just been made, with the elements that are here. Returns messages that waited for others,
  /// which take_in() takes once homes know where elements are.
  using Homeless = std::vector<std::pair<Index, Message*>>;
  Homeless renew(const std::vector<int>& rank_now);
  void take_in(const Homeless& homeless);
  /// At the home: a process says that it has the element. Whatever was said of it before: it lives.
  void learn_at_home(const Index& index, int rank);
  /// As if the array had just been made, without elements: all processes, when nothing is under way or after a loss.
  void forget_all();

 private:
  void leave_or_die(Entry& entry);
  void settle_in(Entry& entry, std::uint32_t epoch);
  void drop_waiting();
  void renew_parts();
  Tree tree() const;

  const Places& places_;
  Host& host_;
  Streams& streams_;
  std::shared_ptr<void> layer_;
  Elements elements_;
  Router router_;
  Broadcasts broadcasts_;
  Reductions reductions_;
  Sections sections_;
  Balancer balancer_;
  Landings landings_;
  const ArrayContext context_;
  Creation creation_;
  Migration migration_;
  Deletion deletion_;
};

}  // namespace starling::array::detail
