// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: elements come back as they were, also on fewer processes, and what is damaged is refused.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::checkpoints_cases {
namespace {

using namespace starling::array;

class Cell : public Element<Cell> {
 public:
  void work(int what) { history_.push_back(what * index()); }
  bool has(int count) const {
    for (int i = 0; i < count; ++i) {
      if (history_[static_cast<std::size_t>(i)] != (i + 1) * index()) return false;
    }
    return history_.size() == static_cast<std::size_t>(count);
  }
  void all_have(int count, const Future<long>& to) { contribute(has(count) ? 1L : 0L, Sum{}, to); }
  void serialize(Archive& archive) { archive(history_); }

 private:
  std::vector<int> history_;
};

/// A folder of the job's own, gone at the end.
class Folder {
 public:
  explicit Folder(Job& world) : world_(world) {
    const std::string process = told_by(0, std::to_string(getpid()));
    path_ = (std::filesystem::temp_directory_path() / ("starling_array_" + process + "_" + std::to_string(world.size)))
                .string();
  }
  ~Folder() {
    meet();
    std::error_code ignored;
    if (world_.rank == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  Job& world_;
  std::string path_;
};

long count_of(Session& session, const Array<Cell>& cells, int expected) {
  Future<long> count(session);
  cells.broadcast<&Cell::all_have>(expected, count);
  return count.get();
}

CASE("a run goes on from a checkpoint on as many processes and on one", 1, 8) {
  Folder folder(world);
  {
    Session session(everybody());
    Array<Cell> cells(session, 10);
    session.run([&] {
      for (int i = 10; i < 20; ++i) cells[i].create();
      session.quiesce();
      for (int i = 1; i <= 5; ++i) cells.broadcast<&Cell::work>(i);
      for (int i = 0; i < 20; ++i) cells[i].migrate_to(i % world.size);
      CHECK_EQ(count_of(session, cells, 5), 20);
      session.save(folder.path());
      cells.broadcast<&Cell::work>(1000);
    });
  }
  for (const Communicator comm : {everybody(), only_me()}) {
    Session session(comm);
    Array<Cell> cells(session, 10);
    session.load(folder.path());
    session.run([&] {
      CHECK_EQ(count_of(session, cells, 5), 20);
      cells.broadcast<&Cell::work>(6);
      CHECK_EQ(count_of(session, cells, 6), 20);
    });
  }
}

/// Those that stay take a second checkpoint, and go back to the first.
void save_and_load(Job& world, Session& session, const Array<Cell>& cells, const std::string& before,
                   const std::string& after) {
  session.run([&] {
    cells[100].create();
    cells.broadcast<&Cell::work>(4);
    CHECK_EQ(count_of(session, cells, 4), 10);
    session.save(after);
  });
  session.load(before);
  session.run([&] { CHECK_EQ(count_of(session, cells, 3), 10); });
  session.load(after);
  session.run([&] {
    CHECK_EQ(count_of(session, cells, 4), 10);
    cells[100].destroy();
    cells.broadcast<&Cell::work>(5);
    CHECK_EQ(count_of(session, cells, 5), 10);
  });
}

CASE("checkpoints are taken and loaded by a session whose processes change", 2, 8) {
  Folder all_have_written(world);
  const std::string before = all_have_written.path();
  const std::string after = before + "/fewer";
  const bool stays = world.rank != 0;
  const Communicator rest = part_of(everybody(), stays, -world.rank);
  {
    Session session(everybody());
    Array<Cell> cells(session, 10);
    session.run([&] {
      for (int i = 1; i <= 3; ++i) cells.broadcast<&Cell::work>(i);
      CHECK_EQ(count_of(session, cells, 3), 10);
      session.save(before);
    });
    session.resize(rest);
    if (stays) save_and_load(world, session, cells, before, after);
  }
  release(rest);
  meet();
  for (const Communicator comm : {everybody(), only_me()}) {
    Session session(comm);
    Array<Cell> cells(session, 10);
    session.load(after);
    session.run([&] { CHECK_EQ(count_of(session, cells, 4), 10); });
  }
}

CASE("a checkpoint that is damaged or not there is refused", 1, 4) {
  Folder folder(world);
  const auto refused = [&](const std::string& path) {
    Session session(everybody());
    Array<Cell> cells(session, 4);
    try {
      session.load(path);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  CHECK(refused(folder.path() + "/nothing"));
  {
    Session session(everybody());
    Array<Cell> cells(session, 4);
    session.run([&] { session.save(folder.path()); });
  }
  meet();
  CHECK(!refused(folder.path()));
  meet();
  if (world.rank == 0) std::filesystem::resize_file(folder.path() + "/elements.0", 20);
  meet();
  CHECK(refused(folder.path()));
}

CASE("a checkpoint that cannot be written is an error", 1, 4) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  session.run([&] {
    std::string text;
    try {
      session.save("/proc/no such folder");
    } catch (const Error& error) {
      text = error.what();
    }
    CHECK(text.find("not taken") != std::string::npos);
  });
}

}  // namespace
}  // namespace starling::tests::checkpoints_cases
