// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Depot: large data that go from one process to another directly, whatever the tree. A piece stays with its Input, and
// a result with the process that would send it to the server, until the server says that nobody needs them any more.
// Meanwhile messages carry a Parcel, and whoever needs the data asks for them.
//
// A process is asked only by those whom the server has introduced (kMeet), and gives an answer to each question, also
// that it does not have that. Who asks hears the answer or the death. docs/design/farm.md, "Data that do not pass the
// server", says who waits for what at the end.
//
// Thread safety: the relay's thread.
// Invariants: for each key that is waited for, one question is under way or about to be.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "task/parcel.hpp"
#include "task/task.hpp"
#include "wire/message.hpp"
#include "wire/neighbors.hpp"

namespace starling::farm {

class Depot {
 public:
  enum class What : int { kPiece, kResult };
  /// The data; nullptr: they have gone.
  using Then = std::function<void(const Slice* bytes)>;

  Depot(Neighbors& neighbors, bool is_server) : neighbors_(neighbors), is_server_(is_server) {}

  /// Has these data for whoever asks. Returns what is said of them.
  Slice keep(std::uint64_t key, const Slice& bytes);
  void on_meet(const Buffer& message);
  void on_ask(int peer, const Buffer& message);
  void on_release(const Buffer& message);
  /// It asks for no more results. Another process sends kMeet, which may come later.
  void on_part(int peer) {
    parted_.insert(peer);
    parting_.erase(peer);
  }

  /// Calls `then` once, now or later.
  void ask(const Parcel& parcel, What what, Then then);
  void on_here(int peer, const std::shared_ptr<const Buffer>& message);
  /// The Output here is given nothing more: says so to all that it has asked.
  void part();

  /// The run is over, and nobody needs what is kept here. Who asks hears that it has gone: that is short, and leaves
  /// although nobody takes it in.
  void end() { kept_.clear(); }

  /// The server: that process may be asked by this one.
  void introduce(const Parcel& parcel, int taker, What what);

  void on_death(int peer);
  /// Sends the questions. False if there were none.
  bool send();
  /// Whether nobody needs this process any more, nor this one any data. After deaths not all that were introduced need
  /// have asked, and who had a result may have left.
  bool may_leave(bool after_deaths) const;
  void leave();

 private:
  struct Waiting {
    What what;
    Then then;
  };
  using Questions = std::map<std::uint64_t, std::vector<Waiting>>;

  void answer(Waiting& waiting, const Slice* bytes);

  Neighbors& neighbors_;
  const bool is_server_;
  std::unordered_map<std::uint64_t, Slice> kept_;
  std::set<int> takers_;   ///< Who may ask this process.
  std::set<int> parting_;  ///< Of these, who has to say its last word first.
  std::set<int> parted_;   ///< Who has said it.
  std::set<int> givers_;   ///< Whom this process has asked.
  std::set<int> outlets_;  ///< Of these, who was asked for results.
  std::map<int, Questions> waiting_;
  std::map<int, std::vector<std::uint64_t>> asks_;  ///< Not sent yet.
  std::size_t pieces_waiting_ = 0;
  std::size_t results_waiting_ = 0;
  std::map<What, std::set<std::tuple<int, int, int, int>>> introduced_;  ///< Place and deaths of both.
};

}  // namespace starling::farm
