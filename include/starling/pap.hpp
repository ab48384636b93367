// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling/pap.hpp: what a program may tell those who go around late processes: the preloaded libstarling_pap, else
// Starling's own collectives. Nothing has to be told: history serves where iterations resemble each other. On another
// MPI without the library these calls do nothing.
//
// Thread safety: any thread may call; with Starling's own collectives any that may call MPI.
#pragma once

extern "C" {
/// Set where somebody listens.
__attribute__((weak)) void starling_pap_progress(double fraction);
}

namespace starling::pap {

/// This share, 0 to 1, of the work between two collective calls is done. Worth calling now and then in a long loop;
/// costs some tens of nanoseconds for each kind of call that is watched.
inline void progress(double fraction) {
  if (starling_pap_progress != nullptr) starling_pap_progress(fraction);
}

}  // namespace starling::pap
