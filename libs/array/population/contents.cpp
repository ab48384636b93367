// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an array gives to a checkpoint and takes from it: the name of its class, and of each element index, size, bytes.
#include "array_core.hpp"
#include "base/format.hpp"

namespace starling::array::detail {

void ArrayCore::pack_all(Archive& archive) {
  if (reductions_.is_waiting()) {
    throw Error(formatted("a reduction of array {} is not complete: take checkpoints between steps", number()));
  }
  archive(readable(elements_.type().name), static_cast<std::uint64_t>(elements_.here().size()));
  for (const Entry* each : elements_.here()) {
    if (each->suspended != 0) {
      throw Error(formatted("{} has a coroutine that waits, which cannot be written: take checkpoints between steps",
                            elements_.name(each->index)));
    }
    Archive count = Archive::counting();
    elements_.type().serialize(each->object, count);
    archive(static_cast<std::uint64_t>(each->index.size()));
    archive.bytes(const_cast<char*>(each->index.data()), each->index.size());
    archive(static_cast<std::uint64_t>(count.used()));
    elements_.type().serialize(each->object, archive);
  }
}

void ArrayCore::unpack(Archive& archive, const std::string& path, Whose whose) {
  std::string type;
  std::uint64_t count = 0;
  archive(type, count);
  const std::string mine = readable(elements_.type().name);
  if (type != mine) {
    throw Error(formatted("{}: array {} has elements of {}, here of {}", path, number(), type, mine));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string bytes;
    std::uint64_t size = 0;
    archive(bytes, size);
    const Index index(bytes.data(), bytes.size());
    const char* state = archive.position();
    archive.skip(size);
    if (whose == Whose::kMine && elements_.home_of(index) != host_.rank()) continue;
    Entry& entry = elements_.entry_for(index);
    elements_.add_here(entry);
    settle_in(entry, elements_.directory().next_epoch(entry));
    Archive in = Archive::reading(state, size, &host_.session());
    host_.unpack(entry, in);
  }
}

}  // namespace starling::array::detail
