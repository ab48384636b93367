// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/format.hpp"
#include "population/arrays.hpp"
#include "program/exceptions.hpp"

namespace starling::array::detail {

namespace {

constexpr char kMagic[] = "starling array checkpoint 1";
enum class Step : std::uint8_t { kWrite, kWritten };

std::string file_of(const std::string& folder, int rank) { return formatted("{}/elements.{}", folder, rank); }

/// Written beside its place and renamed, so that it is whole or not there. Returns what went wrong.
std::string write_file(const std::string& path, const char* bytes, std::size_t size) {
  const std::string draft = path + ".draft";
  {
    std::ofstream out(draft, std::ios::binary);
    out.write(bytes, static_cast<std::streamsize>(size));
    out.flush();
    if (!out) return "cannot write " + draft + ": " + std::strerror(errno);
  }
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  return error ? "cannot rename " + draft + ": " + error.message() : "";
}

}  // namespace

std::string Checkpoint::write_mine(const std::string& folder, std::uint64_t& size) {
  Archive count = Archive::counting();
  const auto write = [&](Archive& archive) {
    archive.bytes(const_cast<char*>(kMagic), sizeof kMagic);
    archive(static_cast<std::uint32_t>(arrays_.count()));
    for (const auto& each : arrays_.all()) each->pack_all(archive);
  };
  try {
    write(count);
    std::vector<char> bytes(count.used());
    Archive out = Archive::writing(bytes.data(), bytes.size());
    write(out);
    size = bytes.size();
    std::error_code ignored;  // another process may make it at the same time; writing tells whether it is there
    std::filesystem::create_directories(folder, ignored);
    return write_file(file_of(folder, host_.rank()), bytes.data(), bytes.size());
  } catch (...) {
    return text_of_exception();
  }
}

void Checkpoint::save(const std::string& folder) {
  host_.quiesce();
  answers_ = 0;
  trouble_.clear();
  sizes_.assign(static_cast<std::size_t>(host_.size()), 0);
  std::error_code ignored;
  std::filesystem::remove(folder + "/complete", ignored);
  for (int to = 0; to < host_.size(); ++to) {
    RecordHeader header;
    header.kind = RecordKind::kCheckpoint;
    header.flags = static_cast<std::uint8_t>(Step::kWrite);
    host_.records().post_bytes(to, header, folder.data(), folder.size());
  }
  host_.run_until([this] { return answers_ == host_.size(); });
  if (trouble_.empty()) {
    std::string text = formatted("{}\n{}\n", kMagic, host_.size());
    for (const std::uint64_t each : sizes_) text += formatted("{}\n", each);
    trouble_ = write_file(folder + "/complete", text.data(), text.size());
  }
  if (!trouble_.empty()) throw Error("the checkpoint in " + folder + " was not taken: " + trouble_);
}

void Checkpoint::handle(const Record& record) {
  if (static_cast<Step>(record.header.flags) == Step::kWritten) {
    Archive in = Archive::reading(record.payload, record.header.payload);
    std::string trouble;
    in(sizes_[static_cast<std::size_t>(record.from)], trouble);
    if (!trouble.empty()) trouble_ += (trouble_.empty() ? "" : "; ") + trouble;
    ++answers_;
    return;
  }
  std::uint64_t size = 0;
  const std::string trouble = write_mine(std::string(record.payload, record.header.payload), size);
  Archive count = Archive::counting();
  count(size, trouble);
  RecordHeader header;
  header.kind = RecordKind::kCheckpoint;
  header.flags = static_cast<std::uint8_t>(Step::kWritten);
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(host_.records().post(record.from, header, nullptr), count.used());
  out(size, trouble);
}

void Checkpoint::load(const std::string& folder) {
  std::ifstream in(folder + "/complete", std::ios::binary);
  std::string magic;
  int files = 0;
  std::getline(in, magic);
  in >> files;
  if (!in || magic != kMagic || files < 1) {
    throw Error(folder + " holds no complete checkpoint: the file 'complete' is missing or is none of this version");
  }
  runtime_.run([] {});  // what is under way arrives, and then goes with the elements that there are
  runtime_.forget_elements();
  std::uint64_t none[1] = {0};
  mpi::all_reduce(host_.records().comm(), mpi::Operator::kMost, none);  // before others send to those to come
  for (int file = 0; file < files; ++file) {
    std::uint64_t size = 0;
    in >> size;
    read_file(file_of(folder, file), size);
  }
}

void Checkpoint::read_file(const std::string& path, std::uint64_t expected_size) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(expected_size);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file || file.peek() != std::ifstream::traits_type::eof()) {
    throw Error(path + " is missing or has not the size that it was written with: the checkpoint is damaged");
  }
  Archive in = Archive::reading(bytes.data(), bytes.size(), &host_.session());
  char magic[sizeof kMagic];
  in.bytes(magic, sizeof magic);
  std::uint32_t arrays = 0;
  in(arrays);
  if (std::memcmp(magic, kMagic, sizeof kMagic) != 0 || arrays != arrays_.count()) {
    throw Error(
        formatted("{} was written by another program: it has {} arrays, this one {}", path, arrays, arrays_.count()));
  }
  for (const auto& each : arrays_.all()) each->unpack(in, path, ArrayCore::Whose::kMine);
}

}  // namespace starling::array::detail
