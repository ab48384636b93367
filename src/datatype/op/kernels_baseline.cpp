// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction kernels for the least processor of the architecture.
#include "datatype/op/kernel_templates.hpp"

namespace starling::datatype {

constinit const KernelTable kBaselineKernels = TableBuilder().table();

}  // namespace starling::datatype
