// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction kernels for x86-64 processors with AVX-512; CMakeLists.txt sets the compiler options.
#if defined(__x86_64__)
#include "datatype/op/kernel_templates.hpp"

namespace starling::datatype {

constinit const KernelTable kAvx512Kernels = TableBuilder().table();

}  // namespace starling::datatype
#endif
