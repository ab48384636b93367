// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "survival.hpp"

#include <cstring>

#include "program/exceptions.hpp"

namespace starling::array::detail {

bool Survival::begin() {
  if (is_on_ || !mpi::goes_on(host_.records().comm())) return is_on_;
  is_on_ = true;
  mpi::return_errors(host_.records().comm());
  kept_ = MemoryCheckpoints::of(host_.rank(), host_.size());
  return true;
}

void Survival::run(const std::function<void()>& main) {
  ++run_;
  restored_ = 0;
  while (true) {
    bool well = true;
    try {
      runtime_.run_once([&] {
        if (restored_ == 0) take_everywhere(nullptr, 0, false);
        main();
        take_everywhere(nullptr, 0, true);
      });
    } catch (const Loss&) {
      well = false;
    }
    if (all_are_well(well)) return;
    recover();
    const Mark& mark = kept_.generation(restored_)->mark;
    if (mark.run == run_ && mark.run_is_over != 0) return;
    if (mark.run != run_) restored_ = 0;  // the death came before this run's first checkpoint
  }
}

const std::vector<char>* Survival::recall() const {
  const Generation* from = restored_ != 0 ? kept_.generation(restored_) : nullptr;
  return from != nullptr && !from->state.empty() ? &from->state : nullptr;
}

void Survival::remember(const char* state, std::size_t size) {
  if (is_on_) take_everywhere(state, size, false);
}

char* Survival::post(int to, Step step, const Mark& mark, std::size_t size) {
  RecordHeader header;
  header.kind = RecordKind::kMemoryCheckpoint;
  header.flags = static_cast<std::uint8_t>(step);
  header.payload = static_cast<std::uint32_t>(sizeof mark + size);
  char* room = host_.records().post(to, header, nullptr);
  std::memcpy(room, &mark, sizeof mark);
  return room + sizeof mark;
}

void Survival::take_everywhere(const char* state, std::size_t size, bool run_is_over) {
  host_.quiesce();
  answers_ = 0;
  trouble_.clear();
  const std::uint32_t last = kept_.generations.empty() ? 0 : kept_.generations.back().mark.number;
  const Mark mark{last + 1, run_, kept_.me, run_is_over ? 1u : 0u};
  for (int to = 0; to < host_.size(); ++to) {
    char* room = post(to, Step::kTake, mark, size);
    if (size != 0) std::memcpy(room, state, size);
  }
  host_.run_until([this] { return answers_ == host_.size(); });
  if (!trouble_.empty()) throw Error("no checkpoint in memory was taken: " + trouble_);
  for (int to = 0; to < host_.size(); ++to) post(to, Step::kDrop, mark, 0);
}

void Survival::take(const Mark& mark, const char* state, std::size_t size) {
  kept_.generations.push_back({mark, kept_.ids, std::vector<char>(state, state + size)});
  try {
    std::vector<char> bytes = pack();
    const auto buddy = static_cast<int>((host_.rank() + 1) % host_.size());
    if (buddy != host_.rank()) {
      Mark of_me = mark;
      of_me.owner = kept_.me;
      std::memcpy(post(buddy, Step::kCopy, of_me, bytes.size()), bytes.data(), bytes.size());
    } else {
      done(mark, "");
    }
    kept_.copies.push_back({mark.number, kept_.me, std::move(bytes)});
  } catch (...) {
    done(mark, text_of_exception());
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
      kept_.copies.push_back({mark.number, mark.owner, std::vector<char>(bytes, bytes + size)});
      return done(mark, "");
    case Step::kDone:
      ++answers_;
      if (size != 0) trouble_ += (trouble_.empty() ? "" : "; ") + std::string(bytes, size);
      return;
    case Step::kDrop: return kept_.drop_before(mark.number);
  }
}

/// Alike everywhere: whether all living processes came to the end of the run.
bool Survival::all_are_well(bool well) {
  if (!well) mpi::revoke(host_.records().comm());
  unsigned everybody = well ? 1 : 0;
  return mpi::agree(host_.records().comm(), everybody) == mpi::kNoError && everybody != 0;
}

}  // namespace starling::array::detail
