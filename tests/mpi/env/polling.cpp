// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every call that returns without what it looks for gives the core away in the end, but to a program that computes
// between its calls. The tool interface counts the times.
#include <functional>
#include <vector>

#include "support/clocks.hpp"
#include "support/mpi_cases.hpp"
#include "support/sanitized.hpp"

#ifdef MPI_ABI_VERSION
namespace starling::tests {
namespace {

/// How often this rank has given its core away since the object was made.
class Yields {
 public:
  Yields() {
    int provided = -1, index = -1, count = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session_);
    MPI_T_pvar_get_index("starling_yields", MPI_T_PVAR_CLASS_COUNTER, &index);
    MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count);
    MPI_T_pvar_start(session_, handle_);
  }
  ~Yields() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  Yields(const Yields&) = delete;
  Yields& operator=(const Yields&) = delete;

  [[nodiscard]] unsigned long long count() const {
    unsigned long long value = 0;
    MPI_T_pvar_read(session_, handle_, &value);
    return value;
  }

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// For the time of a scope this rank waits so.
class Waiting {
 public:
  explicit Waiting(const char* way) { set(way); }
  ~Waiting() { set("auto"); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  static void set(const char* way) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "starling_wait", way);
    MPI_Comm_set_info(MPI_COMM_SELF, info);
    MPI_Info_free(&info);
  }
};

/// One call that looks; whether it found anything.
using Look = std::function<bool()>;
struct NamedLook {
  const char* name;
  Look look;
};

/// What a rank waits for in vain: two receives that nobody sends to, partitions that are not ready, an exposure that no
/// access ends, all its own.
class Vain {
 public:
  Vain() {
    for (int i = 0; i < 2; ++i) MPI_Irecv(&received_[i], 1, MPI_INT, 0, 7 + i, MPI_COMM_SELF, &receives_[i]);
    MPI_Psend_init(parts_, 2, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_INFO_NULL, &partitioned_[0]);
    MPI_Precv_init(parts_ + 2, 2, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_INFO_NULL, &partitioned_[1]);
    MPI_Startall(2, partitioned_);
    MPI_Win_create(&exposed_, sizeof exposed_, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win_);
    MPI_Comm_group(MPI_COMM_SELF, &self_);
    MPI_Win_post(self_, 0, win_);
  }
  ~Vain() {
    MPI_Win_start(self_, 0, win_);
    MPI_Win_complete(win_);
    MPI_Win_wait(win_);
    MPI_Win_free(&win_);
    MPI_Group_free(&self_);
    MPI_Pready_range(0, 1, partitioned_[0]);
    MPI_Waitall(2, partitioned_, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : partitioned_) MPI_Request_free(&request);
    for (MPI_Request& request : receives_) MPI_Cancel(&request);
    MPI_Waitall(2, receives_, MPI_STATUSES_IGNORE);
  }
  Vain(const Vain&) = delete;
  Vain& operator=(const Vain&) = delete;

  std::vector<NamedLook> looks() {
    return {
        {"MPI_Test", [this] { return MPI_Test(receives_, &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
        {"MPI_Testany", [this] { return MPI_Testany(2, receives_, &at_, &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
        {"MPI_Testall", [this] { return MPI_Testall(2, receives_, &flag_, MPI_STATUSES_IGNORE), flag_ != 0; }},
        {"MPI_Testsome", [this] { return MPI_Testsome(2, receives_, &at_, which_, MPI_STATUSES_IGNORE), at_ != 0; }},
        {"MPI_Request_get_status",
         [this] { return MPI_Request_get_status(receives_[0], &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
        {"MPI_Request_get_status_any",
         [this] { return MPI_Request_get_status_any(2, receives_, &at_, &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
        {"MPI_Request_get_status_all",
         [this] { return MPI_Request_get_status_all(2, receives_, &flag_, MPI_STATUSES_IGNORE), flag_ != 0; }},
        {"MPI_Request_get_status_some",
         [this] { return MPI_Request_get_status_some(2, receives_, &at_, which_, MPI_STATUSES_IGNORE), at_ != 0; }},
        {"MPI_Iprobe", [this] { return MPI_Iprobe(0, 11, MPI_COMM_SELF, &flag_, MPI_STATUS_IGNORE), flag_ != 0; }},
        {"MPI_Improbe",
         [this] {
           return MPI_Improbe(MPI_ANY_SOURCE, 11, MPI_COMM_SELF, &flag_, &message_, MPI_STATUS_IGNORE), flag_ != 0;
         }},
        {"MPI_Parrived", [this] { return MPI_Parrived(partitioned_[1], 1, &flag_), flag_ != 0; }},
        {"MPI_Win_test", [this] { return MPI_Win_test(win_, &flag_), flag_ != 0; }},
    };
  }

 private:
  int received_[2] = {};
  int parts_[4] = {};
  int exposed_ = 0;
  int flag_ = -1;
  int at_ = -1;
  int which_[2] = {};
  MPI_Request receives_[2];
  MPI_Request partitioned_[2];
  MPI_Message message_ = MPI_MESSAGE_NULL;
  MPI_Win win_ = MPI_WIN_NULL;
  MPI_Group self_ = MPI_GROUP_NULL;
};

/// So many yields of some thousand looks in vain are enough. Under a sanitizer what lies between two looks may take as
/// long as work does, so there may be none.
bool are_enough(unsigned long long yields) {
  constexpr unsigned long long kFewest = 100;
  return kUnderSanitizer || yields >= kFewest;
}

unsigned long long yields_of(Context& world, const Look& look, int times) {
  int found = 0;
  const Yields yields;
  for (int i = 0; i < times; ++i) found += look() ? 1 : 0;
  const unsigned long long counted = yields.count();
  CHECK_EQ(found, 0);
  return counted;
}

void compute_for(long long ns) {
  const long long until = shared_clock_ns() + ns;
  while (shared_clock_ns() < until) {
  }
}

MPI_CASE("fruitless tests and probes give the core away unless told to spin", 1, 4) {
  constexpr int kLooks = 2000;
  Vain vain;
  for (const NamedLook& each : vain.looks()) {
    for (const char* way : {"yield", "sleep"}) {
      const Waiting waiting(way);
      if (!CHECK(are_enough(yields_of(world, each.look, kLooks)))) FAIL(each.name);
    }
    const Waiting waiting("spin");
    if (!CHECK_EQ(yields_of(world, each.look, kLooks), 0U)) FAIL(each.name);
  }
}

MPI_CASE("tests and probes in turns give the core away too", 1, 4) {
  Vain vain;
  const std::vector<NamedLook> looks = vain.looks();
  const Waiting waiting("yield");
  std::size_t next = 0;
  const Look in_turns = [&] { return looks[next++ % looks.size()].look(); };
  CHECK(are_enough(yields_of(world, in_turns, 4000)));
}

MPI_CASE("a program that computes between its tests keeps the core", 1, 4) {
  constexpr long long kComputeNs = 20'000;
  // Under a sanitizer, beside others on the core, a look may take so long that what lies between two seems to be none.
  constexpr int kTries = kUnderSanitizer ? 5 : 1;
  Vain vain;
  const Waiting waiting("yield");
  for (const NamedLook& each : vain.looks()) {
    const Look after_work = [&] {
      compute_for(kComputeNs);
      return each.look();
    };
    unsigned long long yields = 1;
    for (int i = 0; i < kTries && yields != 0; ++i) yields = yields_of(world, after_work, 100);
    if (!CHECK_EQ(yields, 0U)) FAIL(each.name);
  }
}

}  // namespace
}  // namespace starling::tests
#endif
