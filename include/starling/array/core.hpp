// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the typed headers of starling/array stand on: plain functions and tables of functions, compiled once in
// libstarling_array. Programs use the typed headers; nothing here is meant to be called by them except Session and
// Error.
//
// **Thread safety**: a Session and all that belongs to it are used by the thread that made it. **Invariants**: methods,
// constructors, operators and functions register themselves before main; their numbers are equal on all processes of a
// job, which all run one program (checked when a Session is made).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <starling/array/archive.hpp>
#include <starling/array/balance.hpp>
#include <starling/array/communicator.hpp>
#include <starling/array/index.hpp>
#include <starling/array/references.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace starling::array {

template <class V>
class Future;

/// A mistake of the program. The text names array, index, process and method, says why and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

class Core;
class ArrayCore;
struct Entry;

/// The future that waits for the result of a method; slot 0 for none.
struct ReplyTo {
  Core* core = nullptr;
  std::int32_t rank = 0;
  std::uint32_t slot = 0;
};

/// A method of elements, a constructor (makes the object in its place) or a function of the session.
struct MethodInfo {
  const char* name;
  void (*invoke)(void* object, Archive& arguments, const ReplyTo& reply);
  // Arguments that stay objects on their way to an element of the same process; null where bytes serve as well.
  void (*invoke_held)(void* object, void* held, const ReplyTo& reply);
  void (*pack_held)(void* held, Archive& into);
  void (*drop_held)(void* held);
};

/// The operator of a reduction over values of one type. An accumulator is an object of that type.
struct ReducerInfo {
  const char* name;
  void* (*make)(const void* value);
  void (*add)(void* accumulator, const void* value);
  void (*serialize)(void* accumulator, Archive&);
  void* (*unpack)(Archive&);
  void (*drop)(void* accumulator);
};

/// The class of an array's elements.
struct ElementType {
  const char* name;
  std::size_t size;
  std::size_t alignment;
  void (*construct)(void* where);
  void (*destroy)(void* object);
  void (*serialize)(void* object, Archive&);
  std::string (*describe)(const Index&);
  void (*references)(const void* object, References&);  // null: its elements are not collected
};

std::uint32_t register_method(const MethodInfo* method);
std::uint32_t register_reducer(const ReducerInfo* reducer);

/// The text that the compiler has for a function with this template argument.
template <auto V>
constexpr const char* name_of_value() {
  return __PRETTY_FUNCTION__;
}
template <class T>
constexpr const char* name_of_type() {
  return __PRETTY_FUNCTION__;
}
/// "Cell::exchange" from the compiler's text.
std::string readable(const char* pretty);

/// Throws if a serialize left bytes unread.
void finish_reading(const Archive& archive);

/// Bytes of something serialized, on the stack if they are few.
class Packed {
 public:
  explicit Packed(std::size_t size) : size_(size), far_(size > sizeof near_ ? new char[size] : nullptr) {}
  char* data() { return far_ ? far_.get() : near_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> far_;
  alignas(8) char near_[192];
};

/// Where a result goes: a reduction's, or the news of quiescence.
struct Callback {
  enum class Destination : std::uint8_t { kNone, kFuture, kElement, kBroadcast, kFunction };
  Destination destination = Destination::kNone;
  std::uint16_t array = 0;
  std::int32_t rank = 0;     // of the future or function
  std::uint32_t method = 0;  // or the future's slot
  Index index;
  void serialize(Archive& archive);
};

/// Where an index is at home unless the plan says otherwise.
inline int usual_home(const Index& index, int ranks) {
  return static_cast<int>(index.hash() % static_cast<std::uint32_t>(ranks));
}

struct SendOptions {
  std::int32_t priority = 0;
  std::uint32_t reply = 0;
  bool in_order = false;
};

/// Names a section on all processes.
struct SectionName {
  std::uint64_t key = 0;
  std::int32_t root = 0;
  std::uint16_t array = 0;
  std::uint16_t spare = 0;
};

/// ArrayOptions with the indices as bytes.
struct ArrayPlan {
  std::function<int(const Index&, int ranks)> home;  // empty: by the index's hash
  int homes = 1;
  std::size_t cached_places = 65536;
  double cached_for_s = 0;
  int branches = 4;
};

// Each finds the element's process and leaves room for the arguments there, or returns null where it must not be
// filled.
char* message_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes);
/// Room for a tuple of arguments if the element is here, else null. `counts` is whether links are measured, so that the
/// bytes which the arguments would have as a message are to be told to count_link().
void* held_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes,
                bool& counts);
void count_link(ArrayCore& array, const Index& index, std::uint32_t reply, std::size_t bytes);
/// Room for a message that no later one of its sender overtakes.
char* ordered_room(ArrayCore& array, const Index& index, std::uint32_t method, SendOptions options, std::size_t bytes);
void create(ArrayCore& array, const Index& index, std::uint32_t constructor, int on, const char* bytes,
            std::size_t size);
/// Only while an array is made: an element that all processes agree on, made by the one that is its home.
void create_first(ArrayCore& array, const Index& index);
void destroy(ArrayCore& array, const Index& index);
void migrate(ArrayCore& array, const Index& index, int to);
void measure(ArrayCore& array, bool on);
void measure_for(ArrayCore& array, const BalanceOptions& options);
void balance_every(ArrayCore& array, double seconds, const BalanceOptions& options);
BalanceHistory balanced(ArrayCore& array);
CommunicationGraph communication(ArrayCore& array);
BalanceReport balance_now(ArrayCore& array, const BalanceOptions& options);
void broadcast(ArrayCore& array, std::uint32_t method, const char* bytes, std::size_t size);

SectionName make_section(ArrayCore& array, const std::vector<Index>& members);
void broadcast_to(ArrayCore& array, const SectionName& section, std::uint32_t method, const char* bytes,
                  std::size_t size);
void dissolve(ArrayCore& array, const SectionName& section);

ArrayCore& add_array(Session& session, const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan);
ArrayCore& array_of(Session& session, std::uint16_t number);
std::uint16_t number_of(const ArrayCore& array);
/// Past broadcasts that this process keeps for elements on their way.
std::size_t kept_broadcasts(ArrayCore& array);
Session& session_of(const ArrayCore& array);
Core& core_of(Session& session);
void wish_quiet(Core& core, const Callback& to);
void begin_collection(Core& core, const References& roots, const Callback& to);
void remember(Core& core, const char* state, std::size_t size);
/// Null where main begins from its beginning.
const std::vector<char>* recall(const Core& core);

// What an element does for itself.
Entry* entry_being_built();
const Index& index_of(const Entry& entry);
ArrayCore& array_of(const Entry& entry);
void leave(Entry& entry, int to);
void die(Entry& entry);
void contribute(Entry& entry, std::uint32_t reducer, const void* value, const Callback& to);
void contribute_to(Entry& entry, const SectionName& section, std::uint32_t reducer, const void* value,
                   const Callback& to);

// Futures.
std::uint32_t new_future(Core& core);
void share_future(Core& core, std::uint32_t slot);
void drop_future(Core& core, std::uint32_t slot);
bool future_ready(Core& core, std::uint32_t slot);
/// Runs the scheduler until the future is ready; only outside of elements.
void wait_for(Core& core, std::uint32_t slot);
/// The bytes that came; throws Error if an error came instead.
Archive future_bytes(Core& core, std::uint32_t slot);
void set_future(const ReplyTo& to, const char* bytes, std::size_t size);
/// The coroutine at `frame` goes on when the future is ready; the element that runs now stays where it is until then.
void resume_when_ready(Core& core, std::uint32_t slot, void* frame);
int rank_of(const Core& core);

/// A method or coroutine of the element that runs now ended with an exception.
void report_exception(Core& core);
Core* running_core();

}  // namespace detail

/// How the elements of an array with indices of type I are found and reached. All processes give the same.
template <class I>
struct ArrayOptions {
  /// The process of `ranks` that an index is at home on: it always knows how to reach the element, which begins there
  /// unless it is told otherwise. Empty: in equal parts where the array has a size, else by the index's hash.
  std::function<int(const I& index, int ranks)> home = {};
  /// How many processes are told where each element is: the home and those after it. With more of them a first message
  /// finds one on its own machine, and each creation and move costs a message for each more.
  int homes = 1;
  /// Places of elements elsewhere that a process remembers: with more, those go that were not used since the last time.
  std::size_t cached_places = 65536;
  /// Seconds after which a place that was not used meanwhile is forgotten as well, when the next one is learned; 0: it
  /// stays.
  double cached_for_s = 0;
  /// Branches of the tree of processes for broadcasts and reductions, 2 to 16.
  int branches = 4;
};

/// A process's part of a job that runs arrays: its scheduler, its elements. One for each process, made by all together.
class Session {
 public:
  /// Starts MPI unless it runs; ends it then, too.
  Session(int& argc, char**& argv);
  /// On a communicator (MPI_Comm) of a running MPI, which is duplicated.
  explicit Session(Communicator comm);
  /// Where a run() ended by an Error it is collective: it waits until the messages of that run have arrived.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A new process of a session that others have and that goes on with it: see resize(). It makes the arrays that they
  /// have made, which get no elements here, and takes part from its first run() on, until which `next` must be kept.
  /// Throws Error where it runs another program; the first run() throws it where the others do not go on.
  static Session join(Communicator next);

  int rank() const;
  int size() const;
  /// Its processes, in the order of rank(), for collective calls such as MPI_Comm_split and MPI_Comm_spawn. It belongs
  /// to the session, and is another one after resize() or a loss.
  template <class Here = void>
  typename detail::Mpi<Here>::Comm comm() const {
    return communicator().mpi<Here>();
  }
  /// The same for code that does not include <mpi.h>.
  Communicator communicator() const;

  /// All processes call it. Runs `main` on process 0, and what it sets in motion everywhere, until nothing is left to
  /// do. Throws Error for a mistake of the program, unless on_error() says otherwise.
  void run(const std::function<void()>& main);
  /// Only within main of run(): runs until no message is under way and no method runs: all creations, deletions, moves
  /// and calls have been carried out. Coroutines that wait may be left.
  void quiesce();
  /// Within run(), on any process: the same as a future, for coroutines of elements. All that is under way when it is
  /// asked for is over when it comes, and so is what that set in motion. A coroutine that waits for it counts as idle,
  /// so all that wait go on at once.
  Future<void> quiet();
  /// The same; tells a method or function, like `cells.to_all<&Cell::next>()`.
  void when_quiet(const detail::Callback& to) { detail::wish_quiet(*core_, to); }
  /// Within main of run(), between steps: deletes all elements that cannot be reached, of the classes that say what
  /// they hold (references.hpp). The roots, elements with a coroutine that waits, and what these hold can be reached.
  /// Returns how many were deleted. Source: docs/design/array.md.
  std::size_t collect(const References& roots);
  /// The same while the program goes on: returns when the collection has begun, as soon as nothing is under way; the
  /// future has how many were deleted. What cannot be reached at the beginning is deleted, and gets no broadcasts any
  /// more; what is created later stays. An index that may be one of those deleted is free again when the future is
  /// ready. quiesce(), and so save(), remember() and the end of run(), come after it; so does the next collection.
  Future<std::size_t> collect_meanwhile(const References& roots);
  /// Within main of run(), between steps: writes all elements of all arrays into a folder that all processes see, made
  /// if need be. Throws Error if that fails; an older checkpoint there is then lost, so take turns between two folders.
  void save(const std::string& folder);
  /// All processes, before run() or between two, with the same arrays made in the same order: elements are those of the
  /// checkpoint, each on its home, and no others. The number of processes may be another. Throws Error if the
  /// checkpoint is not whole or is another program's; nothing has changed if its file `complete` is missing.
  void load(const std::string& folder);
  /// All processes, between two run()s: goes on with those of `next`, an intracommunicator in the order of the ranks to
  /// come, or an intercommunicator to those that join (MPI_Comm_spawn, MPI_Comm_accept), which come last then. A
  /// process that passes MPI_COMM_NULL leaves: its elements move to the others, and its session is over. Those of
  /// `next` that were not in the session join() it; this call waits for their first run(). Other elements stay where
  /// they are: balance() spreads them. Afterwards ranks are others, so callbacks and futures that elements keep must be
  /// made anew; sections are gone; main asks anew for balance_every(). Throws Error, on all processes, if an element
  /// that is to leave has a coroutine that waits, a reduction is not complete, or those that join have made other
  /// arrays: then the session is as it was. With survive() it also throws if a process dies before all go on: then
  /// those that live, also those that were to leave, go on with each other, from the last checkpoint in memory, and
  /// `next`, whose errors are returned from this call on, is revoked. A process that dies later is missed in the next
  /// run(), which goes on without it. Without survive() a death ends the session. Source: docs/design/array.md.
  void resize(Communicator next);
  /// All processes, also those that join: from now on others may ask for another number of processes, by
  /// `starling resize JOB N`. Throws Error where another session of this process may be asked already.
  void take_resizing();
  /// All processes, between two run()s: where somebody has asked, goes on with as many processes, and tells him. With
  /// fewer, those with the highest ranks leave: there it returns false, and the session is over. With more, it starts
  /// this program with the same arguments (MPI_Comm_spawn), whose processes join() it: see resize(), which says what is
  /// other afterwards. What cannot be is told to him who asked, and changes nothing; with survive(), where a process
  /// dies meanwhile, it may throw as resize() does.
  bool resize_if_asked();
  /// All processes, before run(): if processes die, run() goes on with the others, from the last checkpoint in memory,
  /// by calling main anew; on the process that is the first then. False where the job ends when a process dies: it
  /// then runs as without. A process and its buddy, the next, must not die between two checkpoints. Sections do not
  /// outlive a loss; rank() and size() are others after it. Source: docs/design/array.md.
  bool survive();
  /// Only within main, between steps: takes a checkpoint in memory, with what main needs to go on from here. Each
  /// process has a copy of the next one's elements. Does nothing without survive().
  template <class... T>
  void remember(const T&... state) {
    Archive count = Archive::counting();
    count(state...);
    detail::Packed packed(count.used());
    Archive::writing(packed.data(), packed.size())(state...);
    detail::remember(*core_, packed.data(), packed.size());
  }
  /// Only within main: what it remembered last, if it goes on from there after a loss. Otherwise leaves the values and
  /// returns false.
  template <class... T>
  bool recall(T&... state) {
    const std::vector<char>* bytes = detail::recall(*core_);
    if (bytes == nullptr) return false;
    Archive in = Archive::reading(bytes->data(), bytes->size(), this);
    in(state...);
    detail::finish_reading(in);
    return true;
  }

  /// At any time, on the process that it is about: from now on each balancing step, asked for or automatic, moves all
  /// elements from here to the others, for the owner of the machine wants it back; false: it takes some again. Where
  /// all processes ask for it, none is vacated.
  void vacate(bool wanted = true);
  /// The same by a signal, which takes the place of its handler in this process: the first vacates it, the next one
  /// gives it back, and so on.
  void vacate_on(int signal);
  /// Takes the texts of mistakes in place of the exception. The program goes on without the message that was wrong.
  void on_error(std::function<void(const std::string&)> take);
  /// A reduction that some elements contributed to and others did not for this long is reported, with the elements that
  /// did not.
  void set_patience(double seconds);
  /// Moves every element to another process, through its serialize, whenever it has worked: a test of a program.
  void set_restless(bool restless);

  /// What this process has done so far.
  struct Counters {
    std::uint64_t messages_sent = 0;       // records to other processes
    std::uint64_t messages_received = 0;   // records from other processes
    std::uint64_t messages_delivered = 0;  // to elements
    std::uint64_t messages_forwarded = 0;
    std::uint64_t migrations = 0;  // elements that left
    std::uint64_t created = 0;
    std::uint64_t deleted = 0;
  };
  Counters counters() const;

 private:
  friend detail::Core& detail::core_of(Session&);
  struct Joins {};
  Session(Communicator next, Joins);
  std::unique_ptr<detail::Core> core_;
  bool ends_mpi_ = false;
};

}  // namespace starling::array
