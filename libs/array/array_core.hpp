// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrayCore: one process's part of an array: its elements, what it knows of others, and how messages find them.
//
// The home of an element, by default the hash of its index modulo the processes, always knows a place from which the
// element can be reached. A process that knows nothing asks there. A message that reaches a place which the element has
// left goes on to a newer one, and the place where it is found tells the process that sent it.
//
// **Thread safety**: none. **Invariants**: entry.hpp; records of a pair of processes are handled in order (wire.hpp),
// so what a process says about an element arrives before the messages that it then sends on. Source: O. Lawlor, L.
// Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, section 4.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "balancer.hpp"
#include "blocks.hpp"
#include "broadcasts.hpp"
#include "entry.hpp"
#include "reductions.hpp"
#include "sections.hpp"
#include "wire.hpp"

namespace starling::array::detail {

class ArrayCore {
 public:
  ArrayCore(Core& core, std::uint16_t number, const ElementType& type, std::uint32_t default_constructor,
            ArrayPlan plan);
  ~ArrayCore();

  Core& core() { return core_; }
  std::uint16_t number() const { return number_; }
  const ElementType& type() const { return type_; }
  Broadcasts& broadcasts() { return broadcasts_; }
  Reductions& reductions() { return reductions_; }
  Balancer& balancer() { return balancer_; }
  Sections& sections() { return sections_; }
  /// The element's entry if it is here, else null.
  Entry* find_here(const Index& index) const {
    Entry* entry = table_.find(index);
    return entry != nullptr && entry->object != nullptr ? entry : nullptr;
  }
  /// The elements of this process; null where one went while all are being visited.
  const std::vector<Entry*>& here() const { return here_; }
  std::size_t count_here() const { return here_.size() - holes_; }
  /// While elements are visited in order, none changes its place.
  void begin_visit() { ++visits_; }
  void end_visit();
  std::string name(const Index& index) const;
  std::size_t entries() const { return table_.size(); }

  // Messages.
  char* message_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes);
  void* held_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes);
  char* ordered_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes);
  /// Where some array measures links: a message to an element of this one from what runs now, with a future for its
  /// answer or 0; and what went between an element, or null for main, and one of this array.
  void count_link(const Index& index, std::uint32_t reply, std::size_t bytes);
  void count_traffic(Entry* from, const Index& index, std::size_t bytes);
  /// The process where an element is, or that knows of it, as far as this one knows.
  int place_of(const Index& index) const;
  void handle_message(const Record& record);
  /// A queued message whose element is not here any more.
  void send_on(Message* message);

  // Creation, deletion, moves.
  void create(const Index& index, std::uint32_t constructor, int on, const char* bytes, std::size_t size);
  void create_first(const Index& index);
  void remove(Entry& entry);
  /// The end of an element whose object is gone.
  void bury(Entry& entry);
  void depart(Entry& entry);
  /// Moves an element that is here, if it still is.
  void move_here(const Index& index, int to);
  void handle_create(const Record& record);
  void handle_build(const Record& record);
  void handle_migrate(const Record& record);
  void handle_arrived(const Record& record);
  void handle_died(const Record& record);
  void handle_landed(const Record& record);
  void handle_update(const Record& record);

  // Checkpoints.
  void pack_all(Archive& archive);
  enum class Whose : std::uint8_t { kMine, kAll };  // those whose home this is, or all
  void unpack(Archive& archive, const std::string& path, Whose whose);
  /// homes.cpp: the elements here, and graves, by their homes; and what a home does with them.
  void list_for_homes(std::vector<std::vector<char>>& lists);
  void learn_at_home(const Index& index, int rank);
  void bury_at_home(const Index& index);

  // Other processes: renewal.cpp.
  /// To a process that stays: messages that wait here, and what this home knows of deleted elements.
  void hand_over(int to);
  /// As if the array had just been made, with the elements that are here. Returns messages that waited for others,
  /// which take_in() takes once homes know where elements are.
  using Homeless = std::vector<std::pair<Index, Message*>>;
  Homeless renew(const std::vector<int>& rank_now);
  void take_in(Homeless homeless);
  /// As if the array had just been made, without elements: all processes, when nothing is under way or after a loss.
  void forget_all();

  /// Messages here that wait for elements which nobody created; the text names some.
  std::size_t unclaimed(std::string& text) const;
  /// Elements die with their session.
  void destroy_all();
  /// Memory for an object; of one that was destroyed.
  void* take_object() { return objects_.take(); }
  void give_object(void* object) { objects_.give(object); }
  void drop_if_useless(Entry& entry);

 private:
  void drop_waiting();
  void push_waiting(Entry& entry, Message* message) {
    ++waiting_;
    entry.waiting.push(message);
  }
  Message* pop_waiting(Entry& entry) {
    --waiting_;
    return entry.waiting.pop();
  }
  MessageList take_waiting(Entry& entry) {
    for (const Message* each = entry.waiting.first; each != nullptr; each = each->next) --waiting_;
    return std::exchange(entry.waiting, {});
  }
  void keep_grave(Entry& entry);
  void forget_graves();
  void renew_parts();
  void wait_elsewhere(Message* message, int to);
  /// An element begins on this process, or begins anew, as one that main created.
  void settle_in(Entry& entry, std::uint32_t epoch);

  struct Birth {
    std::int32_t on;
    std::uint32_t constructor;
    std::uint32_t reduction;
    std::uint32_t broadcast;
    std::int32_t creator;
    std::int32_t is_remote;  // the creator waits to hear that it is done
    std::uint64_t name;      // reductions.hpp
  };
  struct Move {
    std::uint32_t reduction;
    std::uint32_t broadcast;
    std::int32_t births;
    std::int32_t previous;
    float load_us;
    std::uint32_t extras;  // bytes of what goes before its state
    std::uint64_t birth_names;
    std::uint64_t birth_name;
  };
  struct Arrival {
    std::int32_t rank;
    std::int32_t previous;
    std::uint32_t broadcast;
    std::uint32_t spare;
  };
  struct Landing {
    std::uint32_t broadcast;
    std::uint32_t counts;  // the broadcast number was noted as under way
  };

  int home_of(const Index& index) const;
  Entry& entry_for(const Index& index);
  Entry& entry_of(const Record& record, Index& index);
  RecordHeader message_header(const Index& index, std::uint32_t method, const SendOptions& options,
                              std::size_t bytes) const;
  char* away_room(Entry* entry, const Index& index, const RecordHeader& header);
  char* away_record(int to, std::uint32_t epoch, const Index& index, const RecordHeader& header);
  char* wait_room(Entry& entry, const RecordHeader& header);
  void forward(const Record& record, int to, std::uint32_t epoch, std::uint8_t flags);
  void release(Entry& entry);
  void complain_deleted(const Index& index, const RecordHeader& header);
  void birth_at_home(const Index& index, const Birth& birth, const char* bytes, std::size_t size);
  void build(Entry& entry, const Birth& birth, std::uint32_t epoch, const char* bytes, std::size_t size);
  void join(Entry& entry);
  void part(Entry& entry);
  void tell_other_homes(const Entry& entry);
  void learn(Entry& entry, int rank, std::uint32_t epoch);
  void sweep();
  void settle(Entry& entry, const Arrival& arrival, std::uint32_t epoch);
  void confirm(Entry* entry, const Landing& landing, std::uint32_t epoch);

  Core& core_;
  std::uint16_t number_;
  const ElementType& type_;
  std::uint32_t default_constructor_;
  ArrayPlan plan_;
  Table table_;
  Blocks objects_;
  std::vector<Entry*> here_;
  std::size_t holes_ = 0;
  int visits_ = 0;
  std::size_t remembered_ = 0;         // entries of elements elsewhere, about
  std::deque<Entry*> graves_;          // deleted elements whose home this is
  std::vector<Index> buried_;          // those, while their homes change
  std::size_t waiting_ = 0;            // messages that wait for elements to come
  std::uint32_t reclaimed_epoch_ = 0;  // the highest of those whose entries were reclaimed
  Broadcasts broadcasts_;
  Reductions reductions_;
  Balancer balancer_;
  Sections sections_;
};

}  // namespace starling::array::detail
