// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling/pap.hpp: what a program may tell the library of late processes (libstarling_pap). Nothing has to be told:
// history serves where iterations resemble each other. Without the library these calls do nothing.
//
// Thread safety: any thread may call.
#pragma once

extern "C" {
/// Set when libstarling_pap is loaded.
__attribute__((weak)) void starling_pap_progress(double fraction);
}

namespace starling::pap {

/// This share, 0 to 1, of the work between two collective calls is done. Worth calling now and then in a long loop;
/// costs some nanoseconds.
inline void progress(double fraction) {
  if (starling_pap_progress != nullptr) starling_pap_progress(fraction);
}

}  // namespace starling::pap
