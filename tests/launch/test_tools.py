# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The other commands of `starling`."""
import os
import subprocess

from launch_support import STARLING, LaunchTest, main


def starling(*arguments, environment=None):
    return subprocess.run([STARLING, *arguments], capture_output=True, text=True, timeout=30,
                          env=dict(os.environ, **(environment or {})))


class Tools(LaunchTest):
    def test_every_setting_is_listed_with_default_and_sentence(self):
        done = starling("info", "--config")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("STARLING_LAUNCH_GRACE_MS=1000\n    Milliseconds between", done.stdout)
        # Settings of the engine are there too, not only the launcher's.
        self.assertIn("STARLING_SHM_", done.stdout)

    def test_a_changed_setting_shows_where_it_comes_from(self):
        done = starling("info", "--config", environment={"STARLING_LAUNCH_GRACE_MS": "5"})
        self.assertIn("STARLING_LAUNCH_GRACE_MS=5\n", done.stdout)
        self.assertIn("default 1000, now from environment", done.stdout)

    def test_a_misspelt_setting_is_answered_with_the_nearest(self):
        done = starling("info", "--config", environment={"STARLING_LAUNCH_GRACE": "5"})
        self.assertIn("did you mean STARLING_LAUNCH_GRACE_MS", done.stderr)

    def test_the_doctor_finds_this_machine_able(self):
        done = starling("doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        for word in ("cores", "memfd", "membarrier", "process_vm_readv", "futex", "/dev/shm"):
            self.assertIn(word, done.stdout)

    def test_an_unknown_command_is_refused(self):
        self.assertEqual(starling("frobnicate").returncode, 2)
        self.assertEqual(starling().returncode, 2)
        self.assertEqual(starling("help").returncode, 0)


if __name__ == "__main__":
    main()
