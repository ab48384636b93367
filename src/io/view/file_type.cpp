// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/file_type.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "datatype/types/parts.hpp"

namespace starling::io {
namespace {

using datatype::Combiner;
using datatype::Contents;
using datatype::Datatype;

bool is_basic(const Datatype& type) {
  switch (type.contents().combiner) {
    case Combiner::kNamed:
    case Combiner::kF90Real:
    case Combiner::kF90Complex:
    case Combiner::kF90Integer: return true;
    default: return false;
  }
}

/// Whether the constructor counts its displacements in extents of the type that it repeats.
bool counts_extents(Combiner combiner) {
  return combiner == Combiner::kVector || combiner == Combiner::kIndexed || combiner == Combiner::kIndexedBlock;
}

class Rebuilder {
 public:
  explicit Rebuilder(const Datarep& datarep) : datarep_(datarep) {}

  Result<TypeRef> rebuild(const Datatype& type) {
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    Result<TypeRef> made = make(type);
    if (made.ok()) known_.emplace(&type, made.value());
    return made;
  }

 private:
  static Result<TypeRef> take(Datatype::Made made) {
    if (!made.ok()) return std::move(made).status();
    return TypeRef(std::move(made).value());
  }

  Result<TypeRef> make(const Datatype& type) {
    if (is_basic(type)) {
      Result<std::int64_t> bytes = datarep_.file_bytes(type);
      if (!bytes.ok()) return std::move(bytes).status();
      return take(Datatype::contiguous(bytes.value(), datatype::byte_type()));
    }
    switch (type.contents().combiner) {
      case Combiner::kSubarray: return subarray(type);
      case Combiner::kDarray: return darray(type);
      case Combiner::kResized: {
        Result<TypeRef> inner = rebuild(*type.contents().types.front());
        if (!inner.ok()) return inner;
        return take(Datatype::resized(*inner.value(), type.lb(), type.extent()));
      }
      default: return parts(type);
    }
  }

  Result<TypeRef> parts(const Datatype& type) {
    const datatype::Arguments arguments(type.contents());
    std::vector<TypeRef> members;
    std::vector<const Datatype*> types;
    std::vector<std::int64_t> displacements;
    for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
      const datatype::TypePart part = arguments.part(i);
      Result<TypeRef> inner = rebuild(*part.type);
      if (!inner.ok()) return inner;
      const std::int64_t old_extent = part.type->extent();
      const bool scales = counts_extents(type.contents().combiner) && old_extent != 0;
      const auto in_file = [&](std::int64_t bytes) {
        return scales ? bytes / old_extent * inner.value()->extent() : bytes;
      };
      Result<TypeRef> member =
          take(Datatype::hvector(part.count, part.block_length, in_file(part.stride), *inner.value()));
      if (!member.ok()) return member;
      members.push_back(member.value());
      types.push_back(members.back().get());
      displacements.push_back(in_file(part.displacement));
    }
    return take(Datatype::structure(std::vector<std::int64_t>(types.size(), 1), displacements, types));
  }

  static std::vector<std::int64_t> slice(const std::vector<std::int64_t>& from, std::size_t begin, std::size_t count) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  Result<TypeRef> subarray(const Datatype& type) {
    const Contents& contents = type.contents();
    Result<TypeRef> inner = rebuild(*contents.types.front());
    if (!inner.ok()) return inner;
    const auto dimensions = static_cast<std::size_t>(contents.integers.front());
    const bool large = !contents.large_counts.empty();
    const std::vector<std::int64_t>& sizes = large ? contents.large_counts : contents.integers;
    const std::size_t first = large ? 0 : 1;
    return take(Datatype::subarray(slice(sizes, first, dimensions), slice(sizes, first + dimensions, dimensions),
                                   slice(sizes, first + 2 * dimensions, dimensions),
                                   static_cast<datatype::Order>(contents.integers.back()), *inner.value()));
  }

  Result<TypeRef> darray(const Datatype& type) {
    const Contents& contents = type.contents();
    Result<TypeRef> inner = rebuild(*contents.types.front());
    if (!inner.ok()) return inner;
    const std::vector<std::int64_t>& integers = contents.integers;
    const auto dimensions = static_cast<std::size_t>(integers[2]);
    const bool large = !contents.large_counts.empty();
    const std::vector<std::int64_t> sizes =
        large ? slice(contents.large_counts, 0, dimensions) : slice(integers, 3, dimensions);
    const std::size_t first = large ? 3 : 3 + dimensions;
    const std::vector<std::int64_t> distributions = slice(integers, first, dimensions);
    const std::vector<std::int64_t> arguments = slice(integers, first + dimensions, dimensions);
    const std::vector<std::int64_t> processes = slice(integers, first + 2 * dimensions, dimensions);
    return take(Datatype::darray({integers[0], integers[1], sizes, distributions, arguments, processes,
                                  static_cast<datatype::Order>(integers.back())},
                                 *inner.value()));
  }

  const Datarep& datarep_;
  std::map<const Datatype*, TypeRef> known_;
};

/// Follows the typemap of a type through a number of bytes in a file.
class PortionFinder {
 public:
  explicit PortionFinder(const Datarep& datarep) : rebuilder_(datarep) {}

  Status take(const Datatype& type, std::int64_t count, std::int64_t& bytes) {
    Result<TypeRef> in_file = rebuilder_.rebuild(type);
    if (!in_file.ok()) return std::move(in_file).status();
    const std::int64_t each = in_file.value()->size();
    const std::int64_t whole = each == 0 ? count : std::min(count, bytes / each);
    found_.file_bytes += whole * each;
    found_.values += whole * type.element_count();
    found_.memory_bytes += whole * type.size();
    bytes -= whole * each;
    if (whole == count || bytes == 0) return {};
    return take_broken(type, bytes);
  }
  [[nodiscard]] const Portion& found() const noexcept { return found_; }

 private:
  /// The first parts of an element that is not there as a whole.
  Status take_broken(const Datatype& type, std::int64_t& bytes) {
    if (is_basic(type)) {
      bytes = 0;
      return {};
    }
    const datatype::Arguments arguments(type.contents());
    for (std::int64_t i = 0; i < arguments.part_count() && bytes > 0; ++i) {
      const datatype::TypePart part = arguments.part(i);
      STARLING_TRY(take(*part.type, part.count * part.block_length, bytes));
    }
    return {};
  }

  Rebuilder rebuilder_;
  Portion found_;
};

}  // namespace

Result<TypeRef> file_type(const Datatype& type, const Datarep& datarep) {
  if (datarep.is_native()) return TypeRef::share(&type);
  Result<TypeRef> made = Rebuilder(datarep).rebuild(type);
  // No other code has seen the type yet.
  if (made.ok()) const_cast<Datatype&>(*made.value()).commit();
  return made;
}

Result<Portion> portion(const Datatype& type, std::int64_t count, std::int64_t file_bytes, const Datarep& datarep) {
  PortionFinder finder(datarep);
  std::int64_t left = file_bytes;
  STARLING_TRY(finder.take(type, count, left));
  return finder.found();
}

}  // namespace starling::io
