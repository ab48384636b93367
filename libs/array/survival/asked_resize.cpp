// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "asked_resize.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/format.hpp"
#include "program/exceptions.hpp"

namespace starling::array::detail {

namespace {

/// The program, wherever it was found, and its arguments, as this process was started.
std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) words.emplace_back();
  words.front() = std::filesystem::read_symlink("/proc/self/exe");
  return words;
}

std::string processes_text(int count) { return formatted("{} process{}", count, count == 1 ? "" : "es"); }

constexpr const char* kDeath = "a process of it died meanwhile";

}  // namespace

void AskedResize::begin() {
  is_on_ = true;
  if (host_.rank() == 0) requests_.listen();
}

void AskedResize::change_ranks() {
  try {
    if (is_on_ && host_.rank() == 0) requests_.listen();
  } catch (const Error&) {
    // act() tries it again, and says why not.
  }
}

bool AskedResize::act() {
  if (host_.running() != nullptr)
    throw Error("resize_if_asked() is called by an element: it is for between two run()s");
  std::uint64_t wanted[1] = {static_cast<std::uint64_t>(take())};
  const int error = mpi::all_reduce(host_.records().comm(), mpi::Operator::kMost, wanted);
  if (!is_well_everywhere(error)) {
    requests_.refuse(kDeath);
    return true;  // the next run() finds that, and goes on
  }
  if (wanted[0] == 0) return true;
  bool stays = true;
  try {
    const std::string trouble = change(static_cast<int>(wanted[0]), stays);
    if (!trouble.empty()) {
      requests_.refuse(trouble);
    } else if (stays) {
      requests_.done("it goes on with " + processes_text(host_.size()));
    }
  } catch (...) {
    requests_.refuse(text_of_exception());
    throw;
  }
  return stays;
}

/// Of process 0: for how many processes it is asked, and what can be; 0: for none.
int AskedResize::take() {
  if (!is_on_ || host_.rank() != 0) return 0;
  requests_.listen();  // if change_ranks() could not
  while (const int wanted = requests_.take()) {
    const std::string text = refusal(wanted);
    if (!text.empty()) {
      requests_.refuse(text);
    } else if (wanted == host_.size()) {
      requests_.done(formatted("it has {} already", processes_text(wanted)));
    } else {
      return wanted;
    }
  }
  return 0;
}

std::string AskedResize::refusal(int wanted) const {
  const int room = mpi::room();
  if (wanted <= host_.size() || room == 0 || wanted <= room) return "";
  return formatted("{} processes are more than the {} that it has room for (MPI_UNIVERSE_SIZE)", wanted, room);
}

/// Whether no process has an error. Where the job ends when a process dies, one that has an error does not go on.
bool AskedResize::is_well_everywhere(int error) const {
  if (!survival_.is_on()) {
    if (error == mpi::kNoError) return true;
    throw Error(formatted("resize_if_asked(): {}", mpi::error_text(error)));
  }
  unsigned is_well = error == mpi::kNoError ? 1 : 0;
  mpi::agree(host_.records().comm(), is_well);
  return is_well != 0;
}

/// Why not; nothing where it is done.
std::string AskedResize::change(int wanted, bool& stays) {
  if (wanted > host_.size()) return grow(wanted - host_.size());
  Communicator rest;
  const bool is_one_of_them = host_.rank() < wanted;
  if (!is_well_everywhere(mpi::part_of(host_.records().comm(), is_one_of_them, rest))) return kDeath;
  const std::string trouble = resize_.change(rest);
  if (!rest.is_null()) mpi::free(rest);
  stays = is_one_of_them || !trouble.empty();
  return trouble;
}

std::string AskedResize::grow(int more) {
  std::string trouble = resize_.what_keeps_it();
  if (!trouble.empty()) return trouble;
  Communicator both;
  const int error = mpi::spawn(host_.records().comm(), own_command(), more, both);
  if (!survival_.is_on() && error != mpi::kNoError) {
    return formatted("{} processes more could not be started: {}", more, mpi::error_text(error));
  }
  if (!is_well_everywhere(error)) return "processes more could not be started, or a process of it died meanwhile";
  return resize_.change(both);  // which those that join hold on to; it goes with the job
}

}  // namespace starling::array::detail
