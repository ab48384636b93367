// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a session goes on after a loss, and with other processes: the part of Survival in which all take part at once.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "homes.hpp"
#include "mpi/limits.hpp"
#include "population/arrays.hpp"
#include "survival.hpp"

namespace starling::array::detail {

namespace {

constexpr int kCopyTag = 30001;  // above those of the wire
static_assert(kCopyTag <= any_mpi::kLargestTag);

bool is_among(const std::vector<std::int32_t>& list, std::int32_t what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

}  // namespace

std::vector<char> Survival::pack() const {
  const auto write = [this](Archive& archive) {
    for (const auto& each : arrays_.all()) each->pack_all(archive);
  };
  Archive count = Archive::counting();
  write(count);
  std::vector<char> bytes(count.used());
  Archive out = Archive::writing(bytes.data(), bytes.size());
  write(out);
  return bytes;
}

void Survival::unpack(const std::vector<char>& bytes) {
  Archive in = Archive::reading(bytes.data(), bytes.size(), &host_.session());
  for (const auto& each : arrays_.all()) {
    if (in.left() != 0) each->unpack(in, "a checkpoint in memory", ArrayCore::Whose::kAll);
  }
}

void Survival::recover() {
  while (true) {
    mpi::revoke(host_.records().comm());
    Communicator living;
    if (mpi::shrink(host_.records().comm(), living) != mpi::kNoError)
      throw Error("the living processes cannot be found");
    mpi::return_errors(living);
    runtime_.begin_anew(living);
    std::string trouble;
    const bool well = restore(trouble);
    if (!all_are_well(well)) continue;
    if (!trouble.empty()) throw Error(trouble);
    kept_.drop_before(restored_);
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
  kept_.drop_after(newest);
  const Generation from = *kept_.generation(newest);
  trouble = adopt(from, living);
  if (!trouble.empty()) return true;
  kept_.ids = living;
  return tell_homes(host_, arrays_) && take_together(from, living);
}

bool Survival::find_newest(std::uint32_t& number, std::vector<std::int32_t>& living) const {
  std::uint64_t newest[1] = {kept_.newest()};
  living.resize(static_cast<std::size_t>(host_.size()));
  const Communicator comm = host_.records().comm();
  if (mpi::all_reduce(comm, mpi::Operator::kLeast, newest) != mpi::kNoError) return false;
  number = static_cast<std::uint32_t>(newest[0]);
  return mpi::all_gather(comm, kept_.me, living) == mpi::kNoError;
}

/// Makes the elements of this process, and those of the dead whose buddy it is.
std::string Survival::adopt(const Generation& generation, const std::vector<std::int32_t>& living) {
  const std::vector<std::int32_t>& members = generation.members;
  for (std::size_t at = 0; at < members.size(); ++at) {
    const std::int32_t buddy = members[(at + 1) % members.size()];
    const bool lives = is_among(living, members[at]);
    if (!lives && !is_among(living, buddy)) {
      return formatted(
          "processes {} and {} died, which had each other's elements: remember() more often, or save() to "
          "a folder as well",
          members[at], buddy);
    }
    if ((lives ? members[at] : buddy) == kept_.me) unpack(kept_.copy(generation.mark.number, members[at])->bytes);
  }
  return "";
}

/// Collective: the checkpoint that belongs to the new ranks.
bool Survival::take_together(const Generation& from, const std::vector<std::int32_t>& living) {
  Generation next = from;
  ++next.mark.number;
  next.members = living;
  std::vector<char> mine = pack();
  const int size = host_.size();
  const int buddy = (host_.rank() + 1) % size;
  const int before = (host_.rank() + size - 1) % size;
  const Communicator comm = host_.records().comm();
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
  MemoryCheckpoints::Copy theirs{next.mark.number, living[static_cast<std::size_t>(before)],
                                 std::vector<char>(their_length)};
  if (!pass_on(mine, theirs.bytes)) return false;
  kept_.copies.push_back({next.mark.number, kept_.me, std::move(mine)});
  if (before != host_.rank()) kept_.copies.push_back(std::move(theirs));
  restored_ = next.mark.number;
  kept_.generations.push_back(std::move(next));
  return true;
}

void Survival::begin_with_others(bool is_on, std::uint32_t runs) {
  aside_ = std::exchange(kept_, {});
  is_on_ = false;
  run_ = runs;
  restored_ = 0;
  if (is_on) begin();
}

void Survival::take_first() {
  const Generation none{{0, run_, kept_.me, 1}, {}, {}};
  if (!take_together(none, kept_.ids)) throw Loss{};
  restored_ = 0;
}

void Survival::go_back() {
  if (aside_) kept_ = *std::exchange(aside_, {});
  recover();
}

}  // namespace starling::array::detail
