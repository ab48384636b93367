// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// stress_soak: ranks are processes.
#include "stress/soak.hpp"

int main(int argc, char** argv) {
  return starling::stress::run_soak(starling::stress::read_soak_command(argc, argv).options);
}
