// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Core: one process's scheduler. It takes records from the wire, delivers messages to the elements of this process one
// at a time, and finds out together with the others when nothing is left to do.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: methods of elements run from step()
// only, never inside one another, except constructors, which run where create() is called, and destructors where main
// calls destroy(); the queue holds messages to entries that exist.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "array_core.hpp"
#include "checkpoint.hpp"
#include "collector.hpp"
#include "entry.hpp"
#include "futures.hpp"
#include "load_clock.hpp"
#include "loose_ends.hpp"
#include "quiescence.hpp"
#include "regroup.hpp"
#include "survival.hpp"
#include "wire.hpp"

namespace starling::array::detail {

/// Why processes that run different programs have no session.
extern const char* const kOtherProgram;

class Core final : public Sink {
 public:
  Core(Session& session, Communicator comm, mpi::Side side);
  ~Core();

  int rank() const { return wire_.rank(); }
  int size() const { return wire_.size(); }
  Session& session() { return session_; }
  Wire& wire() { return wire_; }
  Futures& futures() { return futures_; }
  Entry* running() const { return running_; }
  Session::Counters counters;
  int arrays_with_links = 0;  // that measure them

  ArrayCore& add_array(const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan);
  ArrayCore& array(std::uint16_t number);
  std::size_t arrays() const { return arrays_.size(); }
  Checkpoint& checkpoint() { return checkpoint_; }
  Survival& survival() { return survival_; }
  Collector& collector() { return collector_; }
  Regroup& regroup() { return regroup_; }
  bool is_joining() const { return regroup_.is_joining(); }
  bool is_in_run() const { return is_in_run_; }
  /// A process that joins does so now; throws on one that left.
  void take_part();

  /// A record to any process, this one included, where it is handled at the next step. Returns room for the payload.
  char* post(int to, const RecordHeader& header, const char* index);
  /// The same; the header, of which kind and sizes are set, is filled in its place.
  Wire::Room open(int to, Kind kind, const char* index, std::size_t index_bytes, std::size_t payload);
  template <class Info>
  void post_info(int to, Kind kind, const ArrayCore& array, const Index& index, std::uint32_t epoch, const Info& info);

  /// Room for a message to an element that is here.
  Message* local_message(Entry& target, std::uint32_t method, const SendOptions& options, std::size_t bytes);
  Message* new_message(std::size_t bytes) { return pool_.take(bytes); }
  void enqueue(Message* message);
  void give(Message* message) { pool_.give(message); }
  /// Urgent messages wait, so others must queue.
  bool must_queue(std::int32_t priority) const { return priority != 0 || !urgent_.empty(); }

  void invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply);
  /// Messages in order (extras.hpp): the next of the element that runs, or of this process.
  StreamHeader next_in_order(std::uint16_t array, const Index& index, std::uint32_t method);
  void take_in_order(Entry& entry, const StreamHeader& header, Archive& arguments, const ReplyTo& reply);
  void take_from_section(Entry& entry, const StreamHeader& header, Archive& arguments);
  /// What came for an element while it moved may be next now.
  void catch_up_in_order(Entry& entry);
  void take_extras(Entry& entry, const char* bytes, std::size_t size);
  void forget_extras(Entry& entry);
  void bury_extras(Entry& entry);
  /// After an element ran: it may leave or die.
  void after(Entry& entry);
  /// Makes the object of an entry.
  void construct(Entry& entry, std::uint32_t constructor, Archive& arguments);
  /// Makes the object of an entry from what another process packed.
  void unpack(Entry& entry, Archive& in);
  /// A coroutine ended with the exception that is being handled.
  void note_exception();
  /// Delivers a packed value.
  void call_back(const Callback& to, const char* bytes, std::size_t size);
  void reply(const ReplyTo& to, const char* bytes, std::size_t size, const char* error = nullptr);
  void resume_later(void* frame, Entry* entry);
  /// The answer to a call, which links count.
  void count_reply(std::uint32_t slot, std::size_t bytes);

  /// A mistake of the program: told to the session's handler, or thrown.
  void fail(const std::string& text);

  void handle(const Record& record) override;
  /// One round; whether there was anything to do.
  bool step();
  bool is_idle() const;
  void run(const std::function<void()>& main);
  /// Without a second attempt after a loss.
  void run_once(const std::function<void()>& main);
  /// After a loss: no elements, nothing under way, on another communicator.
  void begin_anew(Communicator comm);
  /// All processes, where nothing is under way: no elements, and nothing that was for them.
  void forget_elements();
  /// Nothing is under way: another communicator, which it takes over.
  void change_comm(Communicator comm);
  /// The same; the one from before is the caller's.
  Communicator exchange_comm(Communicator comm);
  void seed(std::uint64_t salt);
  /// Messages in order that wait here know their senders by other ranks now.
  void renumber(Extras& extras, const std::vector<int>& rank_now);
  void renumber(std::int32_t& origin, std::uint32_t& reply, const std::vector<int>& rank_now) const;
  void quiesce();
  /// Tells that place when nothing is left to do but to wait for that.
  void wish_quiet(Callback to);
  std::string loose_ends();
  bool has_loose_ends();
  void wait_for(std::uint32_t slot);
  template <class Done>
  void run_until(Done&& done) {
    while (!done()) {
      step();
      if (!exit_error_.empty()) throw Error(exit_error_);
    }
  }
  /// Everybody leaves run(); with a text, by an Error.
  void leave_run(const std::string& error);

  std::function<void(const std::string&)> on_error;
  double patience_s = 0;
  bool restless = false;
  /// Other numbers on each process.
  std::uint64_t random() {
    std::uint64_t state = random_ += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
  }

 private:
  struct Frame {
    void* frame;
    Entry* entry;
  };
  struct KeptRecord {
    RecordHeader header;
    int from;
    std::vector<char> bytes;  // index and payload as on the wire
  };

  void compare_programs();
  void drop_queue();
  bool is_process(int rank, const char* what);
  void look_at_wire();
  bool deliver_next();
  void deliver(Message* message);
  Message* next_message();
  bool resume_next();
  bool handle_own();
  bool keep_if_early(const Record& record);
  void handle_exit(const Record& record);
  void tell_loose_ends();
  void search_quiet(Quiescence::Search search);
  void look_at_patience();
  template <class Call>
  void call_element(Entry& entry, std::uint32_t method, Call&& call);
  void begin_load();
  void end_load(Entry& entry);
  void handle_for_process(const Record& record);
  void invoke_of_library(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply);
  void deliver_held_back(Entry& entry, std::uint64_t stream);
  void name_held_back(std::string& text) const;

  Session& session_;
  Wire wire_;
  MessagePool pool_;
  Futures futures_;
  Quiescence quiescence_;
  LooseEnds loose_ends_{*this};
  Checkpoint checkpoint_;
  Survival survival_;
  Collector collector_;
  Regroup regroup_;
  std::vector<std::unique_ptr<ArrayCore>> arrays_;
  MessageList usual_;
  std::vector<Message*> urgent_;     // heap: priority below 0
  std::vector<Message*> leisurely_;  // heap: priority above 0
  std::uint32_t arrivals_ = 0;
  std::deque<Frame> frames_;
  std::deque<KeptRecord> own_;    // to this process itself
  std::deque<KeptRecord> early_;  // for arrays that others have made already
  Entry* running_ = nullptr;
  LoadClock load_clock_;
  bool is_in_run_ = false;
  bool is_exiting_ = false;
  bool may_block_ = true;  // until something arrives
  std::string exit_error_;
  std::string thrown_;  // by a coroutine
  std::uint64_t random_ = 1;
  Outboxes outboxes_;          // of what is sent outside of elements
  std::size_t held_back_ = 0;  // messages that came before earlier ones
};

template <class Info>
void Core::post_info(int to, Kind kind, const ArrayCore& array, const Index& index, std::uint32_t epoch,
                     const Info& info) {
  const Wire::Room room = open(to, kind, index.data(), index.size(), sizeof info);
  room.header.array = array.number();
  room.header.epoch = epoch;
  room.header.origin = rank();
  std::memcpy(room.payload, &info, sizeof info);
}

template <class Info>
Info info_of(const Record& record) {
  Info info;
  std::memcpy(&info, record.payload, sizeof info);
  return info;
}

}  // namespace starling::array::detail
