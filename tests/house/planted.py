# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A small tree that scripts/check_layers has nothing against, for tests that plant one violation in it."""
import contextlib
import importlib.machinery
import importlib.util
import io
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check_layers"
loader = importlib.machinery.SourceFileLoader("check_layers", str(CHECK))
check_layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
loader.exec_module(check_layers)
SPDX = "SPDX-FileCopyrightText: 2026 The Starling authors", "SPDX-License-Identifier: BSD-3-Clause"
LAYERS = "mpi\np2p\ntransport bootstrap\nconfig arrival\nbase\n"


class Planted(unittest.TestCase):
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
        self.write("src/p2p/engine.hpp", '#pragma once\n#include "transport/transport.hpp"\n')
        self.write("src/p2p/engine.cpp", '#include "p2p/engine.hpp"\n#include <vector>\n')
        self.write("src/mpi/init.cpp", '#include <mpi.h>\n#include "p2p/engine.hpp"\n#include "api/functions.hpp"\n')
        self.write("include/starling/farm.hpp", "#pragma once\n#include <mpi.h>\n")
        self.write("libs/farm/queue.hpp", "#pragma once\n")
        self.write("libs/farm/farm.cpp", '#include <mpi.h>\n#include <starling/farm.hpp>\n#include "queue.hpp"\n')
        self.write("tools/run/main.cpp", '#include "bootstrap/job.hpp"\n#include "run/options.hpp"\n')
        self.write("tools/run/options.hpp", "#pragma once\n")

    def write(self, name, text, comment="//"):
        """A file with its two lines of licence, so that text begins in line 3."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{comment} {line}\n" for line in SPDX) + text)

    def page(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self):
        """As the command does, in this process: some hundred trees are checked."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = check_layers.main([str(self.root)])
        return SimpleNamespace(returncode=status, stdout=said.getvalue())

    def refuses(self, where, *words):
        result = self.run_check()
        self.assertEqual(result.returncode, 1, result.stdout)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        self.assertTrue(lines[0].startswith(where), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def accepts(self):
        result = self.run_check()
        self.assertEqual(result.returncode, 0, result.stdout)
