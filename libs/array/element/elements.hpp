// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Elements: the entries of one array on one process: those of the elements that are here, with their objects, and what
// is known of others. It knows no records; creation, migration and deletion are in population/.
//
// **Thread safety**: none. **Invariants**: here() has exactly the entries whose objects are here; while it is visited,
// none changes its place in it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "entry.hpp"
#include "host.hpp"

namespace starling::array::detail {

class Elements {
 public:
  /// Of the array's number `number`.
  Elements(ArrayCore& array, std::uint16_t number, const ElementType& type, ArrayPlan plan, const Host& host);

  ArrayCore& array() const { return array_; }
  std::uint16_t number() const { return number_; }
  const ElementType& type() const { return type_; }
  const ArrayPlan& plan() const { return plan_; }
  Directory& directory() { return directory_; }
  const Directory& directory() const { return directory_; }
  /// "element 7 of array 0 (Cell)", for messages.
  std::string name(const Index& index) const;

  // By index.

  Entry* find(const Index& index) const { return table_.find(index); }
  /// The element's entry if it is here, else null.
  Entry* find_here(const Index& index) const {
    Entry* entry = table_.find(index);
    return entry != nullptr && entry->object != nullptr ? entry : nullptr;
  }
  /// The entry, made if there is none.
  Entry& entry_for(const Index& index);
  /// Throws Error where the program's own map leads to no process.
  int home_of(const Index& index) const {
    if (!plan_.home) return usual_home(index, size_);
    const int home = plan_.home(index, size_);
    if (home < 0 || home >= size_) refuse_home(index, home);
    return home;
  }
  /// The process where an element is, or that knows of it, as far as this one knows.
  int place_of(const Index& index) const;
  template <class Visit>
  void each(Visit&& visit) const {
    table_.each(visit);
  }
  /// Begins to bring an entry's slot nearer, for a drop() that comes soon.
  void expect(const Entry& entry) const { table_.expect(entry); }
  void drop(Entry& entry) { table_.remove(&entry); }
  /// Drops an entry that nobody counts on.
  void drop_if_useless(Entry& entry);
  /// Makes room for the place of one more element that is elsewhere: with too many, or when their time is over, those
  /// go that were not used.
  void remember_one_more();

  // The elements of this process.

  /// Null where one went while all are being visited.
  const std::vector<Entry*>& here() const { return here_; }
  std::size_t count_here() const { return here_.size() - holes_; }
  /// Visits all; an element may come or go meanwhile.
  template <class Visit>
  void each_here(Visit&& visit) {
    struct Visiting {
      Elements& elements;
      explicit Visiting(Elements& of) : elements(of) { ++elements.visits_; }
      ~Visiting() { elements.end_visit(); }
      Visiting(const Visiting&) = delete;
      Visiting& operator=(const Visiting&) = delete;
    } visiting(*this);
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (Entry* each = here_[i]) visit(*each);
    }
  }
  void add_here(Entry& entry);
  void remove_here(const Entry& entry);

  /// It may be one that a collection is to delete: what concerns all of its array or section is not for it.
  bool lacks_mark(const Entry& entry) const {
    const Marks& marks = host_.marks;
    return marks.phase != Marks::Phase::kNone && entry.is_marked != marks.value && type_.references != nullptr;
  }

  // Objects.

  /// Memory for an object; of one that was not made.
  void* take_memory() { return objects_.take(); }
  void give_memory(void* memory) { objects_.give(memory); }
  void set_object(Entry& entry, void* object) {
    entry.object = object;
    entry.is_here = true;
  }
  void destroy_object(Entry& entry);
  void destroy_all();

  // Messages that wait for elements to come.

  void push_waiting(Entry& entry, Message* message) {
    ++waiting_;
    entry.waiting.push(message);
  }
  Message* pop_waiting(Entry& entry) {
    --waiting_;
    return entry.waiting.pop();
  }
  MessageList take_waiting(Entry& entry);
  /// How many elements they wait for; the text names some.
  std::size_t unclaimed(std::string& text) const;

  /// Nothing is under way: other processes. Of all entries the owner keeps or drops what it wants to.
  void renumber();
  /// All entries go; none has an object.
  void clear();

 private:
  void end_visit();
  void forget_unused();
  [[noreturn]] void refuse_home(const Index& index, int home) const;

  ArrayCore& array_;
  const Host& host_;
  std::uint16_t number_;
  const ElementType& type_;
  ArrayPlan plan_;
  int rank_;
  int size_;
  Directory directory_;
  EntryTable table_;
  Blocks objects_;
  std::vector<Entry*> here_;
  std::size_t holes_ = 0;
  int visits_ = 0;
  std::size_t remembered_ = 0;  // entries of elements elsewhere, about
  double swept_at_s_ = 0;       // when those that were not used went last, where they expire
  std::size_t waiting_ = 0;     // messages that wait for elements to come
};

}  // namespace starling::array::detail
