#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Builds small trees, each with one violation, and sees that scripts/check_layers names it; a good tree passes."""
import subprocess
import sys
import unittest

from planted import CHECK, LAYERS, Planted


class CheckLayers(Planted):
    def test_a_good_tree_passes(self):
        self.accepts()

    def test_the_command_says_the_same(self):
        def run():
            return subprocess.run([sys.executable, CHECK, self.root], capture_output=True, text=True, check=False)
        self.assertEqual(run().returncode, 0)
        self.write("src/base/clock.hpp", '#pragma once\n#include "p2p/engine.hpp"\n')
        result = run()
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertTrue(result.stdout.startswith("src/base/clock.hpp:4:"), result.stdout)

    def test_an_include_that_goes_up(self):
        self.write("src/base/clock.hpp", '#pragma once\n#include "p2p/engine.hpp"\n')
        self.refuses("src/base/clock.hpp:4:", "base may not include p2p", "up")

    def test_an_include_that_goes_up_in_angle_brackets(self):
        self.write("src/base/clock.hpp", "#pragma once\n#  include <p2p/engine.hpp>\n")
        self.refuses("src/base/clock.hpp:4:", "base may not include p2p")

    def test_an_include_that_goes_sideways(self):
        self.write("src/transport/shm.cpp", '#include "bootstrap/job.hpp"\n')
        self.refuses("src/transport/shm.cpp:3:", "transport may not include bootstrap", "sideways")

    def test_a_cycle_within_one_component(self):
        self.write("src/p2p/a.hpp", '#pragma once\n#include "p2p/b.hpp"\n')
        self.write("src/p2p/b.hpp", '#pragma once\n#include "p2p/a.hpp"\n')
        self.refuses("src/p2p/a.hpp:4:", "ring of files in src/p2p", "a -> b -> a")

    def test_a_header_that_is_not_there(self):
        self.write("src/p2p/a.cpp", '#include "base/nothing.hpp"\n')
        self.refuses("src/p2p/a.cpp:3:", "no such file")

    def test_an_include_written_from_its_own_folder(self):
        self.write("src/p2p/a.cpp", '#include "engine.hpp"\n')
        self.refuses("src/p2p/a.cpp:3:", "component/file.hpp")

    def test_a_source_that_does_not_put_its_own_header_first(self):
        self.write("src/p2p/engine.cpp", '#include <vector>\n#include "p2p/engine.hpp"\n')
        self.refuses("src/p2p/engine.cpp:3:", "before its own header")

    def test_mpi_h_below_the_boundary(self):
        self.write("src/p2p/a.cpp", "#include <mpi.h>\n")
        self.refuses("src/p2p/a.cpp:3:", "public headers")

    def test_generated_headers_below_the_boundary(self):
        self.write("src/p2p/a.cpp", '#include "api/functions.hpp"\n')
        self.refuses("src/p2p/a.cpp:3:", "generated")

    def test_a_library_that_reaches_into_the_engine(self):
        self.write("libs/farm/worker.cpp", '#include "transport/transport.hpp"\n')
        self.refuses("libs/farm/worker.cpp:3:", "libraries stand on <mpi.h>")

    def test_a_library_may_use_pure_components(self):
        self.write("src/arrival/schedule.hpp", "#pragma once\n")
        self.write("libs/farm/worker.cpp", '#include "arrival/schedule.hpp"\n#include "base/status.hpp"\n')
        self.accepts()

    def test_a_library_may_use_the_common_one(self):
        self.write("libs/mpi/wrapper.hpp", "#pragma once\n")
        self.write("libs/farm/worker.cpp", '#include "mpi/wrapper.hpp"\n')
        self.accepts()

    def test_a_pure_component_may_not_see_mpi(self):
        self.write("src/arrival/schedule.hpp", "#pragma once\n#include <mpi.h>\n")
        self.refuses("src/arrival/schedule.hpp:4:", "public headers")

    def test_a_library_that_reaches_into_another_library(self):
        self.write("libs/array/element.cpp", '#include "../farm/queue.hpp"\n')
        self.refuses("libs/array/element.cpp:3:", "not a header of this library")

    def test_a_tool_that_uses_what_lies_above_the_launcher(self):
        self.write("tools/run/card.cpp", '#include "p2p/engine.hpp"\n')
        self.refuses("tools/run/card.cpp:3:", "p2p lies above it")

    def test_a_component_without_a_layer(self):
        self.write("src/extra/a.cpp", "#include <vector>\n")
        self.refuses("src/extra:0:", "'extra' has no line")

    def test_a_component_that_stands_twice(self):
        (self.root / "src/layers.txt").write_text(LAYERS + "base\n")
        self.refuses("src/layers.txt:6:", "twice")

    def test_a_file_without_its_licence(self):
        (self.root / "src/p2p/a.cpp").write_text("int x;\n")
        self.refuses("src/p2p/a.cpp:1:", "SPDX")

    def test_a_script_without_its_licence(self):
        (self.root / "scripts").mkdir()
        (self.root / "scripts/run").write_text("#!/bin/sh\n")
        self.refuses("scripts/run:1:", "SPDX")

    def test_a_header_without_a_guard(self):
        self.write("src/p2p/a.hpp", "#ifndef A_HPP\n#define A_HPP\n#endif\n")
        self.refuses("src/p2p/a.hpp:1:", "#pragma once")


if __name__ == "__main__":
    sys.exit(unittest.main())
