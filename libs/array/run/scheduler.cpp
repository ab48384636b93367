// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler.hpp"

#include <memory>
#include <utility>

#include "base/format.hpp"
#include "program/exceptions.hpp"

namespace starling::array::detail {

namespace {

constexpr int kBurst = 32;  // deliveries between two looks at the wire
constexpr std::int64_t kPatienceLook_us = 10000;
constexpr std::int64_t kWatchfulPause_us = 1000;

}  // namespace

Scheduler::Scheduler(Host& host, Arrays& arrays, Executor& executor, Futures& futures, PendingWork& pending,
                     const Survival& survival, Collector& collector)
    : host_(host),
      arrays_(arrays),
      executor_(executor),
      futures_(futures),
      pending_(pending),
      survival_(survival),
      collector_(collector),
      quiescence_(new_quiescence()) {}

Quiescence Scheduler::new_quiescence() {
  return Quiescence(host_, Tree{0, host_.rank(), host_.size()}, [this] { return pending_.must_tell(); });
}

void Scheduler::renew() {
  std::destroy_at(&quiescence_);
  std::construct_at(&quiescence_, new_quiescence());
  collector_.renew();
  run_ = 0;
  has_failed_ = false;
  early_exits_.clear();
}

/// One round; whether there was anything to do.
bool Scheduler::step() {
  Wire& wire = host_.records().wire();
  bool some = host_.records().handle_own();  // first: what came early must not be overtaken
  some |= wire.poll();
  if (wire.trouble() != mpi::kNoError) report_lost_process();
  some |= executor_.resume_next();
  for (int i = 0; i < kBurst && executor_.deliver_next(); ++i) {
    some = true;
    wire.flush_larges();
  }
  some |= collector_.step(some);
  if (host_.has_landings) send_landings();
  if (!some && is_idle()) some = quiescence_.idle();
  wire.flush();
  if (host_.settings.patience_s > 0) report_overdue();
  if (!some) rest();
  return some;
}

void Scheduler::send_landings() {
  host_.has_landings = false;
  for (const auto& each : arrays_.all()) each->landings().send();
}

void Scheduler::rest() {
  if (host_.records().has_own()) return;
  const bool is_impatient = host_.settings.patience_s > 0 && has_waiting_reductions();
  host_.records().wire().idle(is_impatient ? kPatienceLook_us : may_block_ ? -1 : kWatchfulPause_us);
}

/// A call of MPI failed: a process died.
void Scheduler::report_lost_process() {
  if (survival_.is_on()) throw Loss{};
  throw Error(formatted(
      "a process of the job is lost ({}): with survive() before run() the session goes on, where the job was started "
      "so that it can",
      mpi::error_text(host_.records().wire().trouble())));
}

bool Scheduler::is_idle() const {
  return host_.queue().is_empty() && !executor_.has_frames() && !host_.records().has_own() && !arrays_.has_early() &&
         !host_.has_landings && !collector_.is_due() && !host_.records().wire().stalled();
}

void Scheduler::run_until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    step();
    if (!exit_error_.empty()) throw Error(exit_error_);
  }
}

void Scheduler::run_once(const std::function<void()>& main) {
  struct InRun {
    bool& is;
    explicit InRun(bool& it) : is(it) { is = true; }
    ~InRun() { is = false; }
  } in_run(is_in_run_);
  ++run_;
  collector_.begin_run(run_);
  const auto early_exit = early_exits_.extract(run_);
  exit_error_ = early_exit.empty() ? std::string() : early_exit.mapped();
  is_exiting_ = !exit_error_.empty();
  try {
    if (is_exiting_) throw Error(exit_error_);
    if (host_.rank() == 0) {
      quiescence_.forget_requests();
      main();
      search_quiet(Quiescence::Search::kLast);
      leave_run(quiescence_.pending() == 0 ? "" : "at the end of run(), " + pending_.of_all());
    }
    if (!early_exit.empty()) leave_run("");
    run_until([this] { return is_exiting_; });
    if (!exit_error_.empty()) throw Error(exit_error_);
    pending_.tell_handler();
  } catch (const Loss&) {
    throw;
  } catch (...) {
    has_failed_ = true;
    if (!is_exiting_) leave_run(formatted("process {}: {}", host_.rank(), text_of_exception()));
    host_.records().flush();
    throw;
  }
}

void Scheduler::quiesce() {
  if (host_.running() != nullptr) {
    return host_.fail("an element calls quiesce(): it may co_await session().quiet()");
  }
  if (host_.rank() != 0) return host_.fail("quiesce() is for the function of run(), on process 0");
  search_quiet(Quiescence::Search::kUsual);
}

void Scheduler::search_quiet(Quiescence::Search search) {
  may_block_ = true;
  quiescence_.begin(search);
  run_until([this] { return quiescence_.found(); });
}

void Scheduler::request_quiet(Callback to) {
  Archive count = Archive::counting();
  to.serialize(count);
  RecordHeader header;
  header.kind = RecordKind::kQuietRequest;
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(host_.records().post(0, header, nullptr), header.payload);
  to.serialize(out);
}

void Scheduler::handle_quiet_request(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload, &host_.session());
  Callback to;
  to.serialize(in);
  quiescence_.request(std::move(to));
}

void Scheduler::handle_quiet_ask(const Record& record) {
  quiescence_.asked(static_cast<Quiescence::Search>(record.header.flags));
}

void Scheduler::wait_for(std::uint32_t slot) {
  constexpr double kSearchAfter_s = 2e-3;
  if (const Entry* element = host_.running(); element != nullptr) {
    throw Error(
        formatted("{} waits in get(): an element must co_await the future", element->array->name(element->index)));
  }
  // Before it sleeps without end, process 0 finds out whether there is anything left that could bring the value.
  bool searches = false;
  double idle_since_s = 0;
  while (!futures_.ready(slot)) {
    futures_.value(slot);  // throws if there is no such future
    may_block_ = searches || host_.rank() != 0;
    const bool some = step();
    if (!exit_error_.empty()) throw Error(exit_error_);
    if (searches && quiescence_.found() && !futures_.ready(slot)) {
      const std::string pending = pending_.of_all();
      throw Error(formatted("nothing is left to do, and the value that main waits for did not come{}{}",
                            pending.empty() ? "" : ": ", pending));
    }
    if (some || searches || host_.rank() != 0) {
      idle_since_s = 0;
    } else if (idle_since_s == 0) {
      idle_since_s = host_.now_s();
    } else if (host_.now_s() - idle_since_s > kSearchAfter_s) {
      quiescence_.begin();
      searches = true;
    }
  }
  may_block_ = true;
}

/// Down the tree from process 0, or from the process that failed to all others.
void Scheduler::leave_run(const std::string& error) {
  RecordHeader header;
  header.kind = RecordKind::kExit;
  header.epoch = run_;
  const auto tell = [&](int to) { host_.records().post_bytes(to, header, error.data(), error.size()); };
  is_exiting_ = true;
  exit_error_ = error;
  if (error.empty()) {
    const Tree tree{0, host_.rank(), host_.size()};
    for (int i = 0; i < tree.children(); ++i) tell(tree.child(i));
  } else {
    for (int i = 0; i < host_.size(); ++i) {
      if (i != host_.rank()) tell(i);
    }
  }
  host_.records().flush();
}

/// Several processes may fail in a run, each of which tells all: what comes after its end is of no interest.
void Scheduler::handle_exit(const Record& record) {
  const std::string error(record.payload, record.header.payload);
  if (record.header.epoch > run_) early_exits_.try_emplace(record.header.epoch, error);
  if (record.header.epoch != run_ || is_exiting_) return;
  if (error.empty()) return leave_run("");
  is_exiting_ = true;
  exit_error_ = error;
}

bool Scheduler::has_waiting_reductions() const {
  for (const auto& each : arrays_.all()) {
    if (each->reductions().is_waiting() || each->sections().is_waiting()) return true;
  }
  return false;
}

void Scheduler::report_overdue() {
  const double now_s = host_.now_s();
  const double patience_s = host_.settings.patience_s;
  for (const auto& each : arrays_.all()) {
    const std::string overdue = each->sections().overdue(now_s, patience_s);
    if (!overdue.empty()) host_.fail(formatted("after more than {} s {}", patience_s, overdue));
    Reductions& reductions = each->reductions();
    if (!reductions.is_waiting() || now_s - reductions.waiting_since_s() < patience_s) continue;
    constexpr std::size_t kNamed = 5;
    const std::string missing = reductions.missing(kNamed);
    reductions.ask_around(now_s);
    if (missing.empty()) continue;
    host_.fail(formatted("a reduction of array {} waits for more than {} s; on process {} did not contribute: {}",
                         each->number(), patience_s, host_.rank(), missing));
  }
}

}  // namespace starling::array::detail
