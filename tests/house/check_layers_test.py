#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Builds small trees, each with one violation, and sees that scripts/check_layers names it; a good tree passes."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check_layers"
SPDX = "SPDX-FileCopyrightText: 2026 The Starling authors", "SPDX-License-Identifier: BSD-3-Clause"
LAYERS = "mpi\np2p\ntransport bootstrap\nconfig arrival\nbase\n"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("CMakeLists.txt", "", comment="#")
        (self.root / "src").mkdir()
        (self.root / "src/layers.txt").write_text(LAYERS)
        self.write("src/base/status.hpp", "#pragma once\n")
        self.write("src/transport/transport.hpp", '#pragma once\n#include "base/status.hpp"\n')
        self.write("src/bootstrap/job.hpp", '#pragma once\n#include "base/status.hpp"\n')
        self.write("src/p2p/point_to_point.hpp", '#pragma once\n#include "transport/transport.hpp"\n')
        self.write("src/p2p/point_to_point.cpp", '#include "p2p/point_to_point.hpp"\n#include <vector>\n')
        self.write("src/mpi/init.cpp", '#include <mpi.h>\n#include "p2p/point_to_point.hpp"\n#include "api/functions.hpp"\n')
        self.write("include/starling/farm.hpp", "#pragma once\n#include <mpi.h>\n")
        self.write("libs/farm/queue.hpp", "#pragma once\n")
        self.write("libs/farm/farm.cpp", '#include <mpi.h>\n#include <starling/farm.hpp>\n#include "queue.hpp"\n')
        self.write("tools/run/main.cpp", '#include "bootstrap/job.hpp"\n#include "run/options.hpp"\n')
        self.write("tools/run/options.hpp", "#pragma once\n")

    def write(self, name, text, comment="//"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{comment} {line}\n" for line in SPDX) + text)

    def run_check(self):
        return subprocess.run([sys.executable, CHECK, self.root], capture_output=True, text=True, check=False)

    def refuses(self, where, *words):
        result = self.run_check()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        self.assertTrue(lines[0].startswith(where), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_good_tree_passes(self):
        result = self.run_check()
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_an_include_that_goes_up(self):
        self.write("src/base/clock.hpp", '#pragma once\n#include "p2p/point_to_point.hpp"\n')
        self.refuses("src/base/clock.hpp:4:", "base may not include p2p", "up")

    def test_an_include_that_goes_up_in_angle_brackets(self):
        self.write("src/base/clock.hpp", "#pragma once\n#  include <p2p/point_to_point.hpp>\n")
        self.refuses("src/base/clock.hpp:4:", "base may not include p2p")

    def test_an_include_that_goes_sideways(self):
        self.write("src/transport/shm.cpp", '#include "bootstrap/job.hpp"\n')
        self.refuses("src/transport/shm.cpp:3:", "transport may not include bootstrap", "sideways")

    def test_a_cycle_within_one_component(self):
        self.write("src/p2p/a.hpp", '#pragma once\n#include "p2p/b.hpp"\n')
        self.write("src/p2p/b.hpp", '#pragma once\n#include "p2p/a.hpp"\n')
        self.refuses("src/p2p/b.hpp:4:", "cycle", "p2p/a.hpp -> p2p/b.hpp -> p2p/a.hpp")

    def test_a_header_that_is_not_there(self):
        self.write("src/p2p/a.cpp", '#include "base/nothing.hpp"\n')
        self.refuses("src/p2p/a.cpp:3:", "no such file")

    def test_an_include_written_from_its_own_folder(self):
        self.write("src/p2p/a.cpp", '#include "engine.hpp"\n')
        self.refuses("src/p2p/a.cpp:3:", "component/file.hpp")

    def test_a_source_that_does_not_put_its_own_header_first(self):
        self.write("src/p2p/point_to_point.cpp", '#include <vector>\n#include "p2p/point_to_point.hpp"\n')
        self.refuses("src/p2p/point_to_point.cpp:3:", "before its own header")

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
        self.write("libs/farm/worker.cpp", '#include "arrival/schedule/schedule.hpp"\n#include "base/status.hpp"\n')
        self.assertEqual(self.run_check().returncode, 0)

    def test_a_pure_component_may_not_see_mpi(self):
        self.write("src/arrival/schedule.hpp", "#pragma once\n#include <mpi.h>\n")
        self.refuses("src/arrival/schedule.hpp:4:", "public headers")

    def test_a_library_that_reaches_into_another_library(self):
        self.write("libs/array/element.cpp", '#include "../farm/queue.hpp"\n')
        self.refuses("libs/array/element.cpp:3:", "not a header of this library")

    def test_a_tool_that_uses_what_lies_above_the_launcher(self):
        self.write("tools/run/card.cpp", '#include "p2p/point_to_point.hpp"\n')
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
    unittest.main()
