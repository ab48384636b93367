// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "survival.hpp"

#include <algorithm>
#include <cstring>

#include "core.hpp"
#include "homes.hpp"

namespace starling::array::detail {

namespace {

constexpr int kCopyTag = 30001;  // above those of the wire
static_assert(kCopyTag <= mpi::kLargestTag);

template <class T>
auto find(T& list, std::int32_t what) {
  return std::find(list.begin(), list.end(), what);
}

}  // namespace

bool Survival::begin() {
  if (is_on_ || !mpi::goes_on(core_.wire().comm())) return is_on_;
  is_on_ = true;
  mpi::return_errors(core_.wire().comm());
  me_ = core_.rank();
  for (int i = 0; i < core_.size(); ++i) ids_.push_back(i);
  return true;
}

void Survival::go_on(bool is_on, std::uint32_t runs) {
  generations_.clear();
  copies_.clear();
  ids_.clear();
  is_on_ = false;
  run_ = runs;
  restored_ = 0;
  if (is_on) begin();
}

void Survival::run(const std::function<void()>& main) {
  ++run_;
  restored_ = 0;
  while (true) {
    bool well = true;
    try {
      core_.run_once([&] {
        if (restored_ == 0) take_everywhere(nullptr, 0, false);
        main();
        take_everywhere(nullptr, 0, true);
      });
    } catch (const Loss&) {
      well = false;
    }
    if (all_are_well(well)) return;
    recover();
    const Mark& mark = generation(restored_)->mark;
    if (mark.run == run_ && mark.run_is_over != 0) return;
    if (mark.run != run_) restored_ = 0;  // the death came before this run's first checkpoint
  }
}

const std::vector<char>* Survival::recall() const {
  const Generation* from = restored_ != 0 ? generation(restored_) : nullptr;
  return from != nullptr && !from->state.empty() ? &from->state : nullptr;
}

void Survival::remember(const char* state, std::size_t size) {
  if (is_on_) take_everywhere(state, size, false);
}

char* Survival::post(int to, Step step, const Mark& mark, std::size_t size) {
  RecordHeader header;
  header.kind = Kind::kKeep;
  header.flags = static_cast<std::uint8_t>(step);
  header.payload = static_cast<std::uint32_t>(sizeof mark + size);
  char* room = core_.post(to, header, nullptr);
  std::memcpy(room, &mark, sizeof mark);
  return room + sizeof mark;
}

void Survival::take_everywhere(const char* state, std::size_t size, bool run_is_over) {
  core_.quiesce();
  answers_ = 0;
  trouble_.clear();
  const std::uint32_t last = generations_.empty() ? 0 : generations_.back().mark.number;
  const Mark mark{last + 1, run_, me_, run_is_over ? 1u : 0u};
  for (int to = 0; to < core_.size(); ++to) {
    char* room = post(to, Step::kTake, mark, size);
    if (size != 0) std::memcpy(room, state, size);
  }
  core_.run_until([this] { return answers_ == core_.size(); });
  if (!trouble_.empty()) throw Error("no checkpoint in memory was taken: " + trouble_);
  for (int to = 0; to < core_.size(); ++to) post(to, Step::kDrop, mark, 0);
}

void Survival::take(const Mark& mark, const char* state, std::size_t size) {
  generations_.push_back({mark, ids_, std::vector<char>(state, state + size)});
  try {
    std::vector<char> bytes = pack();
    const auto buddy = static_cast<int>((core_.rank() + 1) % core_.size());
    if (buddy != core_.rank()) {
      Mark of_me = mark;
      of_me.owner = me_;
      std::memcpy(post(buddy, Step::kCopy, of_me, bytes.size()), bytes.data(), bytes.size());
    } else {
      done(mark, "");
    }
    copies_.push_back({mark.number, me_, std::move(bytes)});
  } catch (const std::exception& error) {
    done(mark, error.what());
  }
}

void Survival::done(const Mark& mark, const std::string& trouble) {
  std::memcpy(post(0, Step::kDone, mark, trouble.size()), trouble.data(), trouble.size());
}

void Survival::handle(const Record& record) {
  Mark mark;
  std::memcpy(&mark, record.payload, sizeof mark);
  const char* bytes = record.payload + sizeof mark;
  const std::size_t size = record.header.payload - sizeof mark;
  switch (static_cast<Step>(record.header.flags)) {
    case Step::kTake: return take(mark, bytes, size);
    case Step::kCopy:
      copies_.push_back({mark.number, mark.owner, std::vector<char>(bytes, bytes + size)});
      return done(mark, "");
    case Step::kDone:
      ++answers_;
      if (size != 0) trouble_ += (trouble_.empty() ? "" : "; ") + std::string(bytes, size);
      return;
    case Step::kDrop: return drop_before(mark.number);
  }
}

void Survival::drop_before(std::uint32_t number) {
  std::erase_if(generations_, [number](const Generation& each) { return each.mark.number < number; });
  std::erase_if(copies_, [number](const Copy& each) { return each.number < number; });
}

std::vector<char> Survival::pack() const {
  const auto write = [this](Archive& archive) {
    for (std::size_t i = 0; i < core_.arrays(); ++i) core_.array(static_cast<std::uint16_t>(i)).pack_all(archive);
  };
  Archive count = Archive::counting();
  write(count);
  std::vector<char> bytes(count.used());
  Archive out = Archive::writing(bytes.data(), bytes.size());
  write(out);
  return bytes;
}

void Survival::unpack(const std::vector<char>& bytes) {
  Archive in = Archive::reading(bytes.data(), bytes.size(), &core_.session());
  for (std::size_t i = 0; i < core_.arrays() && in.left() != 0; ++i) {
    core_.array(static_cast<std::uint16_t>(i)).unpack(in, "a checkpoint in memory", ArrayCore::Whose::kAll);
  }
}

const Survival::Generation* Survival::generation(std::uint32_t number) const {
  for (const Generation& each : generations_) {
    if (each.mark.number == number) return &each;
  }
  return nullptr;
}

const Survival::Copy* Survival::copy(std::uint32_t number, std::int32_t owner) const {
  for (const Copy& each : copies_) {
    if (each.number == number && each.owner == owner) return &each;
  }
  return nullptr;
}

/// Whether this process has all of it that it should have: its own elements, and those of the process before it.
bool Survival::is_complete(const Generation& generation) const {
  const std::vector<std::int32_t>& members = generation.members;
  const auto at = static_cast<std::size_t>(find(members, me_) - members.begin());
  const std::int32_t before = members[(at + members.size() - 1) % members.size()];
  return copy(generation.mark.number, me_) != nullptr && copy(generation.mark.number, before) != nullptr;
}

/// Alike everywhere: whether all living processes came to the end of the run.
bool Survival::all_are_well(bool well) {
  if (!well) mpi::revoke(core_.wire().comm());
  bool everybody = well;
  return mpi::agree(core_.wire().comm(), everybody) == mpi::kNoError && everybody;
}

bool Survival::all_stay(bool well) {
  if (!is_on_ || all_are_well(well)) return true;
  recover();
  return false;
}

void Survival::recover() {
  while (true) {
    mpi::revoke(core_.wire().comm());
    Communicator living;
    if (mpi::shrink(core_.wire().comm(), living) != mpi::kNoError) throw Error("the living processes cannot be found");
    mpi::return_errors(living);
    core_.begin_anew(living);
    std::string trouble;
    const bool well = restore(trouble);
    if (!all_are_well(well)) continue;
    if (!trouble.empty()) throw Error(trouble);
    drop_before(restored_);
    return;
  }
}

/// Collective over the living. False where another process died meanwhile; the text, alike everywhere, is why there is
/// nothing to go on from.
bool Survival::restore(std::string& trouble) {
  std::vector<std::int32_t> living;
  std::uint32_t newest = 0;
  if (!find_newest(newest, living)) return false;
  if (newest == 0) {
    trouble = "a process died before the first checkpoint in memory was whole: there is nothing to go on from";
    return true;
  }
  // One that only some have whole, or that an earlier attempt began, is none.
  std::erase_if(generations_, [=](const Generation& each) { return each.mark.number > newest; });
  std::erase_if(copies_, [=](const Copy& each) { return each.number > newest; });
  const Generation from = *generation(newest);
  trouble = adopt(from, living);
  if (!trouble.empty()) return true;
  ids_ = living;
  return tell_homes(core_) && take_together(from, living);
}

bool Survival::find_newest(std::uint32_t& number, std::vector<std::int32_t>& living) const {
  std::uint64_t newest[1] = {0};
  for (const Generation& each : generations_) {
    if (is_complete(each)) newest[0] = std::max<std::uint64_t>(newest[0], each.mark.number);
  }
  living.resize(static_cast<std::size_t>(core_.size()));
  const Communicator comm = core_.wire().comm();
  if (mpi::all_reduce(comm, mpi::Operator::kLeast, newest) != mpi::kNoError) return false;
  number = static_cast<std::uint32_t>(newest[0]);
  return mpi::all_gather(comm, me_, living) == mpi::kNoError;
}

/// Makes the elements of this process, and those of the dead whose buddy it is.
std::string Survival::adopt(const Generation& generation, const std::vector<std::int32_t>& living) {
  const std::vector<std::int32_t>& members = generation.members;
  for (std::size_t at = 0; at < members.size(); ++at) {
    const std::int32_t buddy = members[(at + 1) % members.size()];
    const bool lives = find(living, members[at]) != living.end();
    if (!lives && find(living, buddy) == living.end()) {
      return "processes " + std::to_string(members[at]) + " and " + std::to_string(buddy) +
             " died, which had each other's elements: remember() more often, or save() to a folder as well";
    }
    if ((lives ? members[at] : buddy) == me_) unpack(copy(generation.mark.number, members[at])->bytes);
  }
  return "";
}

/// Collective: the checkpoint that belongs to the new ranks.
bool Survival::take_together(const Generation& from, const std::vector<std::int32_t>& living) {
  Generation next = from;
  ++next.mark.number;
  next.members = living;
  std::vector<char> mine = pack();
  const int size = core_.size();
  const int buddy = (core_.rank() + 1) % size;
  const int before = (core_.rank() + size - 1) % size;
  const Communicator comm = core_.wire().comm();
  const auto pass_on = [&](std::span<const char> out, std::span<char> in) {
    return mpi::send_and_receive(comm, kCopyTag, buddy, out, before, in) == mpi::kNoError;
  };
  const std::uint64_t length = mine.size();
  std::uint64_t their_length = 0;
  if (!pass_on({reinterpret_cast<const char*>(&length), sizeof length},
               {reinterpret_cast<char*>(&their_length), sizeof their_length})) {
    return false;
  }
  if (length > INT32_MAX || their_length > INT32_MAX) {
    throw Error("a process has more than 2 GiB of elements: a checkpoint in memory cannot be copied");
  }
  Copy theirs{next.mark.number, living[static_cast<std::size_t>(before)], std::vector<char>(their_length)};
  if (!pass_on(mine, theirs.bytes)) return false;
  copies_.push_back({next.mark.number, me_, std::move(mine)});
  if (before != core_.rank()) copies_.push_back(std::move(theirs));
  restored_ = next.mark.number;
  generations_.push_back(std::move(next));
  return true;
}

}  // namespace starling::array::detail
