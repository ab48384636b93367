// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Include it, and the cereal headers of what you send, and the farm packs every type that cereal can serialize.
//
// Thread safety: as Writer and Reader.
#pragma once

#include <cereal/archives/binary.hpp>
#include <istream>
#include <ostream>
#include <streambuf>

#include "starling/farm/pack.hpp"

namespace starling::farm {

/// A stream whose bytes go to a Writer or come from a Reader.
class PackStream : public std::streambuf {
 public:
  explicit PackStream(Writer& to) : to_(&to) {}
  explicit PackStream(Reader& from) : from_(&from) {}

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    to_->raw(bytes, static_cast<std::size_t>(size));
    return size;
  }
  std::streamsize xsgetn(char* bytes, std::streamsize size) override {
    from_->raw(bytes, static_cast<std::size_t>(size));
    return size;
  }

 private:
  Writer* to_ = nullptr;
  Reader* from_ = nullptr;
};

template <class T>
requires(!std::is_pointer_v<T> && !PlainBytes<T> && !Serializes<T> &&
         cereal::traits::is_output_serializable<T, cereal::BinaryOutputArchive>::value &&
         cereal::traits::is_input_serializable<T, cereal::BinaryInputArchive>::value) struct Pack<T> {
  static void write(Writer& to, const T& object) {
    PackStream bytes(to);
    std::ostream stream(&bytes);
    cereal::BinaryOutputArchive archive(stream);
    archive(object);
  }
  static void read(Reader& from, T& object) {
    PackStream bytes(from);
    std::istream stream(&bytes);
    cereal::BinaryInputArchive archive(stream);
    archive(object);
  }
};

}  // namespace starling::farm
