// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// KeptFile: a descriptor that the library keeps while the program runs, with the identity of its file.
//
// Programs close descriptors that they have not opened (daemons close all of them), and the next file that they open
// gets the number. A library that used the number unchecked would then grow, read or close a file of the user's. So
// the file's device and inode are recorded at the beginning and compared before each use.
//
// Thread safety: any thread may ask; replace() from any thread. Invariants: only the file that was handed over is ever
// closed here.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace starling::memory {

class KeptFile {
 public:
  KeptFile() noexcept = default;
  /// Takes the descriptor over; one that is not open makes an invalid one.
  explicit KeptFile(int number) noexcept;
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&& other) noexcept;
  /// Closes the descriptor, if it is still ours.
  ~KeptFile();

  [[nodiscard]] bool valid() const noexcept { return number() >= 0; }
  [[nodiscard]] int number() const noexcept { return number_.load(std::memory_order_acquire); }
  /// Whether the number still stands for the file.
  [[nodiscard]] bool is_ours() const noexcept { return stands_for_it(number()); }
  /// Uses another descriptor of the same file from now on, and takes it over. False: it is another file.
  bool replace(int number) noexcept;

  /// What has become of the number: "descriptor 5 is closed" or "descriptor 5 has become another file".
  [[nodiscard]] std::string what_became_of_it() const;

 private:
  [[nodiscard]] bool stands_for_it(int number) const noexcept;

  std::atomic<int> number_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace starling::memory
