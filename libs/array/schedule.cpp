// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The loop of a process: the part of Core that decides what comes next, and when to end.
#include <utility>

#include "core.hpp"
#include "exceptions.hpp"
#include "registry.hpp"

namespace starling::array::detail {

namespace {

constexpr int kBurst = 32;  // deliveries between two looks at the wire
constexpr std::int64_t kPatienceLook_us = 10000;
constexpr std::int64_t kWatchfulNap_us = 1000;

}  // namespace

bool Core::step() {
  bool some = handle_own();  // first: what came early must not be overtaken
  some |= wire_.poll();
  if (wire_.trouble() != mpi::kNoError) look_at_wire();
  some |= resume_next();
  for (int i = 0; i < kBurst && deliver_next(); ++i) {
    some = true;
    wire_.flush_larges();
  }
  if (!some && is_idle()) some = quiescence_.idle();
  wire_.flush();
  bool is_impatient = false;
  if (patience_s > 0) {
    look_at_patience();
    for (const auto& each : arrays_) is_impatient |= each->reductions().is_waiting() || each->sections().is_waiting();
  }
  if (some) return true;
  if (own_.empty()) wire_.idle(is_impatient ? kPatienceLook_us : may_block_ ? -1 : kWatchfulNap_us);
  return false;
}

/// A call of MPI failed: a process died.
void Core::look_at_wire() {
  if (survival_.is_on()) throw Loss{};
  throw Error("a process of the job is lost (" + mpi::error_text(wire_.trouble()) +
              "): with survive() before run() it goes on, where the job was started so that it can");
}

bool Core::is_idle() const {
  return usual_.empty() && urgent_.empty() && leisurely_.empty() && frames_.empty() && own_.empty() && early_.empty() &&
         !wire_.stalled();
}

bool Core::handle_own() {
  std::size_t count = own_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const KeptRecord own = std::move(own_.front());
    own_.pop_front();
    const char* index = own.bytes.data();
    handle(Record{own.header, index, index + padded(own.header.index), own.from});
  }
  return count != 0;
}

/// A process that is ahead may have made an array, and use it, that this one is about to make.
bool Core::keep_if_early(const Record& record) {
  const RecordHeader& header = record.header;
  if (header.array < arrays_.size()) return false;
  const std::size_t size = padded(header.index) + padded(header.payload);
  early_.push_back({header, record.from, std::vector<char>(record.index, record.index + size)});
  return true;
}

void Core::handle(const Record& record) {
  if (record.header.kind < Kind::kFirstOfProcess && keep_if_early(record)) return;
  switch (record.header.kind) {
    case Kind::kMessage: return array(record.header.array).handle_message(record);
    case Kind::kCreate: return array(record.header.array).handle_create(record);
    case Kind::kBuild: return array(record.header.array).handle_build(record);
    case Kind::kMigrate: return array(record.header.array).handle_migrate(record);
    case Kind::kArrived: return array(record.header.array).handle_arrived(record);
    case Kind::kLanded: return array(record.header.array).handle_landed(record);
    case Kind::kDied: return array(record.header.array).handle_died(record);
    case Kind::kUpdate: return array(record.header.array).handle_update(record);
    case Kind::kBroadcastAsk: return array(record.header.array).broadcasts().handle_ask(record);
    case Kind::kBroadcast: return array(record.header.array).broadcasts().handle(record);
    case Kind::kLow: return array(record.header.array).broadcasts().handle_low(record);
    case Kind::kReport: return array(record.header.array).reductions().handle_report(record);
    case Kind::kLate: return array(record.header.array).reductions().handle_late(record);
    case Kind::kNudge: return array(record.header.array).reductions().handle_nudge(record);
    case Kind::kEmpty: return array(record.header.array).reductions().handle_empty(record);
    case Kind::kMeasured: return array(record.header.array).balancer().handle_measured(record);
    case Kind::kSection: return array(record.header.array).sections().handle(record);
    case Kind::kMoves: return array(record.header.array).balancer().handle_moves(record);
    default: return handle_for_process(record);
  }
}

/// Records that concern no array.
void Core::handle_for_process(const Record& record) {
  const RecordHeader& header = record.header;
  switch (header.kind) {
    case Kind::kReply: {
      if (arrays_with_links != 0) count_reply(header.reply, header.payload);
      std::vector<Futures::Waiter> waiters;
      futures_.set(header.reply, record.payload, header.payload, header.flags != 0, waiters);
      for (const Futures::Waiter& each : waiters) resume_later(each.frame, each.entry);
      return;
    }
    case Kind::kFunction: {
      Archive in = Archive::reading(record.payload, header.payload, &session_);
      return method_numbered(header.method).invoke(&session_, in, {});
    }
    case Kind::kSave: return checkpoint_.handle(record);
    case Kind::kKeep: return survival_.handle(record);
    case Kind::kCollect: return collector_.handle(record);
    case Kind::kQuietWish: {
      Archive in = Archive::reading(record.payload, header.payload, &session_);
      Callback to;
      to.serialize(in);
      return quiescence_.wish(std::move(to));
    }
    case Kind::kLooseAsk:
    case Kind::kLooseTell: return loose_ends_.handle(record);
    case Kind::kQuietAsk: return quiescence_.asked(static_cast<Quiescence::Search>(header.flags));
    case Kind::kQuietTell: return quiescence_.told(record);
    case Kind::kExit: return handle_exit(record);
    default: throw Error("a record of an unknown kind came: the processes run different versions of libstarling_array");
  }
}

void Core::take_part() {
  regroup_.must_take_part();
  if (is_joining()) regroup_.join();
}

void Core::run(const std::function<void()>& main) {
  take_part();
  if (survival_.is_on()) return survival_.run(main);
  run_once(main);
}

void Core::run_once(const std::function<void()>& main) {
  struct InRun {
    bool& is;
    explicit InRun(bool& it) : is(it) { is = true; }
    ~InRun() { is = false; }
  } in_run(is_in_run_);
  is_exiting_ = false;
  exit_error_.clear();
  try {
    if (rank() == 0) {
      quiescence_.forget_wishes();
      main();
      search_quiet(Quiescence::Search::kLast);
      leave_run(quiescence_.loose() == 0 ? "" : "at the end of run(), " + loose_ends_.of_all());
    }
    run_until([this] { return is_exiting_; });
    if (!exit_error_.empty()) throw Error(exit_error_);
    tell_loose_ends();
  } catch (const Loss&) {
    throw;
  } catch (...) {
    if (!is_exiting_) leave_run("process " + std::to_string(rank()) + ": " + text_of_exception());
    wire_.flush();
    throw;
  }
}

void Core::quiesce() {
  if (running_ != nullptr) return fail("an element calls quiesce(): it may co_await session().quiet()");
  if (rank() != 0) return fail("quiesce() is for the function of run(), on process 0");
  search_quiet(Quiescence::Search::kUsual);
}

void Core::search_quiet(Quiescence::Search search) {
  may_block_ = true;
  quiescence_.begin(search);
  run_until([this] { return quiescence_.found(); });
}

void Core::wish_quiet(Callback to) {
  Archive count = Archive::counting();
  to.serialize(count);
  RecordHeader header;
  header.kind = Kind::kQuietWish;
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(post(0, header, nullptr), header.payload);
  to.serialize(out);
}

void Core::wait_for(std::uint32_t slot) {
  constexpr double kSearchAfter_s = 2e-3;
  if (running_ != nullptr) {
    throw Error(running_->array->name(running_->index) + " waits in get(): an element must co_await the future");
  }
  // Before it sleeps without end, process 0 finds out whether there is anything left that could bring the value.
  bool searches = false;
  double idle_since_s = 0;
  while (!futures_.ready(slot)) {
    futures_.value(slot);  // throws if there is no such future
    may_block_ = searches || rank() != 0;
    const bool some = step();
    if (!exit_error_.empty()) throw Error(exit_error_);
    if (searches && quiescence_.found() && !futures_.ready(slot)) {
      const std::string loose = loose_ends_.of_all();
      throw Error("nothing is left to do, and the value that main waits for did not come" +
                  (loose.empty() ? std::string() : ": " + loose));
    }
    if (some || searches || rank() != 0) {
      idle_since_s = 0;
    } else if (idle_since_s == 0) {
      idle_since_s = wall_s();
    } else if (wall_s() - idle_since_s > kSearchAfter_s) {
      quiescence_.begin();
      searches = true;
    }
  }
  may_block_ = true;
}

/// Down the tree from process 0, or from the process that failed to all others.
void Core::leave_run(const std::string& error) {
  RecordHeader header;
  header.kind = Kind::kExit;
  header.payload = static_cast<std::uint32_t>(error.size());
  const auto tell = [&](int to) {
    char* room = post(to, header, nullptr);
    if (!error.empty()) std::memcpy(room, error.data(), error.size());
  };
  is_exiting_ = true;
  exit_error_ = error;
  if (error.empty()) {
    const Tree tree{0, rank(), size()};
    for (int i = 0; i < tree.children(); ++i) tell(tree.child(i));
  } else {
    for (int i = 0; i < size(); ++i) {
      if (i != rank()) tell(i);
    }
  }
  wire_.flush();
}

void Core::handle_exit(const Record& record) {
  if (is_exiting_) return;
  const std::string error(record.payload, record.header.payload);
  if (error.empty()) {
    leave_run("");
  } else {
    is_exiting_ = true;
    exit_error_ = error;
  }
}

void Core::look_at_patience() {
  const double now_s = wall_s();
  for (const auto& each : arrays_) {
    const std::string overdue = each->sections().overdue(now_s, patience_s);
    if (!overdue.empty()) fail("after more than " + std::to_string(patience_s) + " s " + overdue);
    Reductions& reductions = each->reductions();
    if (!reductions.is_waiting() || now_s - reductions.waiting_since_s() < patience_s) continue;
    const std::string missing = reductions.missing(5);
    reductions.ask_around(now_s);
    if (!missing.empty()) {
      fail("a reduction of array " + std::to_string(each->number()) + " waits for more than " +
           std::to_string(patience_s) + " s; on process " + std::to_string(rank()) + " did not contribute: " + missing);
    }
  }
}

}  // namespace starling::array::detail
