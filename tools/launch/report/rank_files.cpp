// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/rank_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace starling::launch {
namespace {

std::string folder_of(const std::string& folder, std::uint32_t rank, std::uint32_t ranks) {
  const std::size_t digits = std::to_string(ranks - 1).size();
  std::string number = std::to_string(rank);
  number.insert(0, digits - number.size(), '0');
  return formatted("{}/1/rank.{}", folder, number);
}

std::string why(const std::string& path, int error) {
  return formatted("--output-filename: '{}' cannot be written: {}", path, std::strerror(error));
}

}  // namespace

Status begin_rank_files(const std::string& folder, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string here = folder_of(folder, rank, ranks);
    std::error_code error;
    std::filesystem::create_directories(here, error);
    if (error) return Status::error(ErrorClass::kOther, why(here, error.value()));
    for (const char* name : {"stdout", "stderr"}) {
      const std::string path = here + "/" + name;
      const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
      if (!file.valid()) return Status::error(ErrorClass::kOther, why(path, errno));
    }
  }
  return {};
}

void RankFiles::put(WorldRank writer, std::string_view text) {
  if (!folder_.empty() && !writer.is_none()) write(writer, text);
  next_.put(writer, text);
}

// The file is open only here: a job may have more ranks than we may have files.
void RankFiles::write(WorldRank writer, std::string_view text) {
  const std::string path = folder_of(folder_, static_cast<std::uint32_t>(writer.value), ranks_) + "/" + name_;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  while (file.valid() && !text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (text.empty() || has_failed_) return;
  has_failed_ = true;
  failed_(why(path, errno));
}

}  // namespace starling::launch
