// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/arguments/operation.hpp"

#include <array>

namespace starling::collective {
namespace {

constexpr std::array kNames = {
#define STARLING_OPERATION(id, name, upper) #name,
    STARLING_OPERATIONS(STARLING_OPERATION)
#undef STARLING_OPERATION
};

}  // namespace

const char* name(Operation operation) noexcept { return kNames[static_cast<std::size_t>(operation)]; }

}  // namespace starling::collective
