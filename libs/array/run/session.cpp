// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Session, and the functions that the typed headers call.
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "core.hpp"
#include "program/registry.hpp"
#include "traffic.hpp"

namespace starling::array {

namespace detail {
namespace {

void collect_by_main(const Core& core, const char* call) {
  if (core.running() != nullptr || core.rank() != 0 || !core.is_in_run()) {
    throw Error(formatted("{} is for the function of run(), on process 0", call));
  }
}

}  // namespace
}  // namespace detail

Session::Session(int& argc, char**& argv) {
  ends_mpi_ = detail::mpi::start(argc, argv);
  core_ = std::make_unique<detail::Core>(*this, detail::mpi::world(), detail::mpi::Side::kOld);
}

Session::Session(Communicator comm) : core_(std::make_unique<detail::Core>(*this, comm, detail::mpi::Side::kOld)) {}
Session::Session(Communicator next, Joins)
    : core_(std::make_unique<detail::Core>(*this, next, detail::mpi::Side::kNew)) {}
Session Session::join(Communicator next) {
  if (detail::mpi::goes_on(next)) detail::mpi::return_errors(next);
  return Session(next, Joins{});
}

Session::~Session() {
  core_.reset();
  if (ends_mpi_) detail::mpi::finish();
}

int Session::rank() const { return core_->rank(); }
int Session::size() const { return core_->size(); }
void Session::run(const std::function<void()>& main) { core_->run(main); }
void Session::quiesce() { core_->quiesce(); }
std::size_t Session::collect(const References& roots) {
  detail::collect_by_main(*core_, "collect()");
  return core_->collector().collect(roots);
}
void Session::save(const std::string& folder) { core_->checkpoint().save(folder); }
void Session::load(const std::string& folder) { core_->checkpoint().load(folder); }
Communicator Session::communicator() const { return core_->records().comm(); }
void Session::resize(Communicator next) { core_->resize().resize(next); }
void Session::take_resizing() { core_->asked_resize().begin(); }
bool Session::resize_if_asked() { return core_->asked_resize().act(); }
bool Session::survive() { return core_->survival().begin(); }
void Session::vacate(bool wanted) { core_->vacate(wanted); }
void Session::vacate_on(int signal) { core_->vacate_on(signal); }
void Session::on_error(std::function<void(const std::string&)> take) { core_->settings.on_error = std::move(take); }
void Session::set_patience(double seconds) { core_->settings.patience_s = seconds; }
void Session::set_restless(bool restless) { core_->settings.is_restless = restless; }

Session::Counters Session::counters() const {
  Counters counters = core_->counters;
  counters.messages_sent = core_->records().sent();
  counters.messages_received = core_->records().received();
  return counters;
}

namespace detail {

namespace {

void only_main(ArrayCore& array, const char* call) {
  if (array.host().running() == nullptr && array.host().rank() == 0) return;
  throw Error(formatted("{} is for the function of run(), on process 0", call));
}

}  // namespace

void Callback::serialize(Archive& archive) {
  std::uint32_t size = static_cast<std::uint32_t>(index.size());
  archive(destination, array, rank, method, size);
  if (!archive.is_reading()) {
    archive.bytes(const_cast<char*>(index.data()), size);
    return;
  }
  Packed bytes(size);
  archive.bytes(bytes.data(), size);
  index = Index(bytes.data(), size);
}

char* message_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes) {
  if (array.host().arrays_with_links != 0) count_link(array, index, options.reply, bytes);
  return array.router().room(index, method, options, bytes);
}
void* held_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes,
                bool& counts) {
  counts = array.host().arrays_with_links != 0;
  return array.router().held_room(index, method, options, bytes);
}
void count_link(ArrayCore& array, const Index& index, std::uint32_t reply, std::size_t bytes) {
  count_link(core_of(array.host().session()).futures(), array, index, reply, bytes);
}
char* ordered_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes) {
  if (array.host().arrays_with_links != 0) count_link(array, index, options.reply, bytes);
  return array.streams().room(array.router(), array.number(), index, method, options, bytes);
}
void create(ArrayCore& array, const Index& index, std::uint32_t constructor, int on, const char* bytes,
            std::size_t size) {
  array.creation().create(index, constructor, on, bytes, size);
}
/// A process that joins a session has none of the array's first elements.
void create_first(ArrayCore& array, const Index& index) {
  if (!core_of(array.host().session()).resize().is_joining()) array.creation().create_first(index);
}

/// By a message, behind those that came before; outside of elements at once, where nothing is queued.
void destroy(ArrayCore& array, const Index& index) {
  Core& core = core_of(array.host().session());
  const bool is_at_rest = core.running() == nullptr && core.scheduler().is_idle();
  Entry* entry = is_at_rest ? array.elements().find_here(index) : nullptr;
  if (entry == nullptr) {
    array.router().room(index, kDestroyMethod, {}, 0);
    return;
  }
  core.collector().before(*entry);
  entry->is_dying = true;
  array.after(*entry);
}

void migrate(ArrayCore& array, const Index& index, int to) {
  Host& host = array.host();
  if (to < 0 || to >= host.size()) {
    return host.fail(formatted("{} is to move to process {}, but there are only {} processes",
                               array.elements().name(index), to, host.size()));
  }
  if (char* room = array.router().room(index, kMoveMethod, {}, sizeof to)) std::memcpy(room, &to, sizeof to);
}

void wish_quiet(Core& core, const Callback& to) {
  if (!core.is_in_run()) throw Error("quiet() and when_quiet() are for what happens within run()");
  core.scheduler().request_quiet(to);
}

void begin_collection(Core& core, const References& roots, const Callback& to) {
  collect_by_main(core, "collect_meanwhile()");
  core.collector().begin(roots, to);
}

void remember(Core& core, const char* state, std::size_t size) {
  if (core.running() != nullptr || core.rank() != 0) {
    throw Error("remember() is for the function of run(), on process 0");
  }
  core.survival().remember(state, size);
}
const std::vector<char>* recall(const Core& core) { return const_cast<Core&>(core).survival().recall(); }

void measure(ArrayCore& array, bool on) { array.balancer().measure(on); }
void measure_for(ArrayCore& array, const BalanceOptions& options) {
  only_main(array, "measure()");
  array.balancer().measure_for(options.strategy);
}
BalanceReport balance_now(ArrayCore& array, const BalanceOptions& options) {
  only_main(array, "balance()");
  return array.balancer().step(options);
}
void balance_every(ArrayCore& array, double seconds, const BalanceOptions& options) {
  only_main(array, "balance_every()");
  array.balancer().repeat(seconds, options);
}
CommunicationGraph communication(ArrayCore& array) {
  only_main(array, "communication()");
  return array.balancer().communication();
}
BalanceHistory balanced(ArrayCore& array) {
  only_main(array, "balanced()");
  return array.balancer().history();
}

void broadcast(ArrayCore& array, std::uint32_t method, const char* bytes, std::size_t size) {
  array.broadcasts().start(method, bytes, size);
}

SectionName make_section(ArrayCore& array, const std::vector<Index>& members) { return array.sections().make(members); }
void broadcast_to(ArrayCore& array, const SectionName& section, std::uint32_t method, const char* bytes,
                  std::size_t size) {
  array.sections().broadcast(section, method, bytes, size);
}
void dissolve(ArrayCore& array, const SectionName& section) {
  array.sections().broadcast(section, kLeaveMethod, nullptr, 0);
}

ArrayCore& add_array(Session& session, const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan) {
  if (plan.homes < 1) throw Error(formatted("an array with {} homes: each element has one at least", plan.homes));
  if (plan.branches < Tree::kLeast || plan.branches > Tree::kMost) {
    throw Error(
        formatted("an array whose tree has {} branches: take {} to {}", plan.branches, Tree::kLeast, Tree::kMost));
  }
  if (!(plan.cached_for_s >= 0)) {
    throw Error(formatted("an array that remembers places for {} s: it is 0 or more", plan.cached_for_s));
  }
  return core_of(session).arrays().add(type, default_constructor, std::move(plan));
}
ArrayCore& array_of(Session& session, std::uint16_t number) { return core_of(session).arrays().at(number); }
std::uint16_t number_of(const ArrayCore& array) { return array.number(); }
std::size_t kept_broadcasts(ArrayCore& array) { return array.broadcasts().kept(); }
Session& session_of(const ArrayCore& array) { return const_cast<ArrayCore&>(array).host().session(); }
Core& core_of(Session& session) { return *session.core_; }
int rank_of(const Core& core) { return core.rank(); }

const Index& index_of(const Entry& entry) { return entry.index; }
ArrayCore& array_of(const Entry& entry) { return entry.array->array(); }

void leave(Entry& entry, int to) {
  Host& host = array_of(entry).host();
  if (to < 0 || to >= host.size()) {
    return host.fail(formatted("{} wants to move to process {}, but there are only {} processes",
                               entry.array->name(entry.index), to, host.size()));
  }
  entry.leave_for(to);
  entry.is_leaving = true;
}
void die(Entry& entry) { entry.is_dying = true; }
void contribute(Entry& entry, std::uint32_t reducer, const void* value, const Callback& to) {
  array_of(entry).reductions().contribute(entry, reducer, value, to);
}

void contribute_to(Entry& entry, const SectionName& section, std::uint32_t reducer, const void* value,
                   const Callback& to) {
  array_of(entry).sections().contribute(entry, section, reducer, value, to);
}

std::uint32_t new_future(Core& core) { return core.futures().make(); }
void share_future(Core& core, std::uint32_t slot) { core.futures().share(slot); }
void drop_future(Core& core, std::uint32_t slot) { core.futures().drop(slot); }
bool future_ready(Core& core, std::uint32_t slot) { return core.futures().ready(slot); }
void wait_for(Core& core, std::uint32_t slot) { core.scheduler().wait_for(slot); }
Archive future_bytes(Core& core, std::uint32_t slot) {
  const std::vector<char>& bytes = core.futures().value(slot);
  return Archive::reading(bytes.data(), bytes.size(), &core.session());
}
void set_future(const ReplyTo& to, const char* bytes, std::size_t size) { to.core->reply(to, bytes, size, false); }

void resume_when_ready(Core& core, std::uint32_t slot, void* frame) {
  Entry* entry = core.running();
  if (entry == nullptr) throw Error("co_await outside of an element's method: main waits with get()");
  core.futures().value(slot);  // throws if there is no such future
  ++entry->suspended;
  ++core.marks.waiting;
  core.futures().wait(slot, {frame, entry});
}

void report_exception(Core& core) { core.executor().note_exception(); }

}  // namespace detail
}  // namespace starling::array
