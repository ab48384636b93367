# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every option of mpiexec with a missing, an empty, a negative and a huge value: one line that says what it takes, and no
rank runs. The options are those that 'mpiexec --list-options' has, so that a new one is tried without another word. And
options that scripts carry, which work."""
import os
import re
import subprocess
import tempfile
import unittest

from launch_support import MPIEXEC, STARLING, LaunchTest, main, run

# Options that take any text, or any but the empty one. What they name is looked for later, or never.
ANY_TEXT = {"x", "env", "genv", "envlist", "genvlist", "mca"}
ANY_BUT_EMPTY = {"wdir", "path", "output-filename", "trace", "report", "rsh-agent", "iface", "host", "f"}
# These are refused whatever their value, so it is not named.
ALWAYS_REFUSED = {"c", "file", "configfile"}


def options():
    """(first name, words for its values) of each option that has any."""
    listed = subprocess.run([MPIEXEC, "--list-options"], capture_output=True, text=True, timeout=30, check=True).stdout
    rows = [line.split("\t") for line in listed.splitlines()]
    return [(row[2].split(",")[0].lstrip("-"), row[3].split()) for row in rows if row[3]]


class GoodValues(LaunchTest):
    def test_options_of_the_standard_and_of_scripts_for_other_launchers_start_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for option in ("-n 2", "-np 2", "-host localhost:2", "-arch " + os.uname().machine, "-wdir /", "-path /bin", "-soft 1:4",
                           "-initial-errhandler mpi_errors_return", "-v", "-N 1", "-npernode 2", "-ppn 1", "--rank-by slot",
                           "--report-bindings", "--display-map", "--mca btl self", "--stdin none", "--output-filename " + folder,
                           "--use-hwthread-cpus", "--tag-output", "--timestamp-output", "--merge-stderr-to-stdout",
                           "--preload-binary", "--bind-to none", "--map-by node", "--oversubscribe", "--allow-run-as-root"):
                with self.subTest(option):
                    job = run(*option.split(), "sh", "-c", "echo x")
                    self.assertEqual(job.code, 0, job.err)
                    self.assertRegex(job.out, r"x\n")

    def test_the_help_names_every_option_and_its_values(self):
        said = " ".join(run("-h").out.split())
        listed = subprocess.run([MPIEXEC, "--list-options"], capture_output=True, text=True, timeout=30, check=True).stdout
        for line in listed.splitlines():
            names, values = line.split("\t")[2:4]
            self.assertIn(f" {names} {values}".rstrip(), said)


class BadValues(LaunchTest):
    def refused(self, *words):
        """What mpiexec says, without its name: one line."""
        job = run(*words)
        self.assertEqual((job.code, job.out), (2, ""), f"{words}: {job.err}")
        self.assertEqual(len(job.err.splitlines()), 1, f"{words}: {job.err}")
        self.assertTrue(job.err.startswith("mpiexec: "), job.err)
        return job.err[len("mpiexec: "):].strip()

    def test_each_without_its_value_says_what_it_takes(self):
        self.assertGreater(len(options()), 30)
        for name, values in options():
            with self.subTest(name):
                said = self.refused("-" + name)
                self.assertRegex(said, rf"^-{name} takes {re.escape(' '.join(values))}, but (nothing|too little) follows it: .")

    def test_each_with_an_empty_a_negative_or_a_huge_value_says_what_it_takes(self):
        for name, values in options():
            for bad in ("", "-1", "99999999999999999999"):
                if name in ANY_TEXT or (bad and name in ANY_BUT_EMPTY):
                    continue
                with self.subTest(name, value=bad):
                    said = self.refused("-" + name, *[bad] * len(values), "true")
                    self.assertRegex(said, r"take|stands alone|-soft |name is empty|cannot be read|-arch asks for")
                    if name not in ALWAYS_REFUSED:
                        self.assertIn(bad, said)

    def test_contrary_options_are_refused_with_both_their_names(self):
        for words, names in ((("--oversubscribe", "--nooversubscribe"), "--oversubscribe and --nooversubscribe"),
                             (("--nooversubscribe", "--map-by", ":oversubscribe"), "--nooversubscribe and --map-by :over"),
                             (("-N", "2", "-ppn", "3"), "-N takes one N, but got '2' and '3'"),
                             (("-genvnone", "-genvall"), "take -genvnone or -genvall"),
                             (("-n", "2", "-np", "3"), "-n takes one N, but got '2' and '3'"),
                             (("--timeout", "3", "--timeout", "4"), "-timeout takes one SECONDS, but got '3' and '4'"),
                             (("--bind-to", "core", "--bind-to", "none"), "-bind-to takes one WHAT, but got 'core' and 'none'"),
                             (("--map-by", "core", "--map-by", "numa"), "--map-by core and --map-by numa are contrary"),
                             (("--stdin", "none", "--stdin", "0"), "-stdin takes one none|0")):
            with self.subTest(words):
                self.assertIn(names, self.refused(*words, "true"))

    def test_cores_for_each_rank_and_unknown_words_behind_map_by_say_what_to_do(self):
        self.assertIn("ranks that fit on the cores get equal shares", self.refused("--map-by", "ppr:2:node:PE=4", "true"))
        self.assertIn("behind a ':' it takes oversubscribe or nooversubscribe", self.refused("--map-by", ":x", "true"))

    def test_names_of_variables_to_hand_down_are_names_and_those_that_are_not_set_are_noted(self):
        for option in ("-envlist", "-genvlist"):
            for bad in (",", "A=3", "HOME,,PATH"):
                self.assertIn(f"{option} takes names of variables, as A,B, but got '", self.refused(option, bad, "true"))
            self.assertIn(f"without effect here: {option} TEST_ABSENT_XYZ (it is not set)",
                          run(option, "HOME,TEST_ABSENT_XYZ", "true").err)

    def test_an_agent_that_somebody_asks_answers_in_words(self):
        for word, code in (("-h", 0), ("--help", 0), ("--no-such-option", 2)):
            done = subprocess.run([STARLING, "agent", word], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=30, check=False)
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (code, 1))
            self.assertIn("mpiexec --host a,b", done.stdout)

    def test_a_time_that_no_clock_holds_is_refused(self):
        for value in ("1e10", "inf", "nan"):
            self.assertIn(f"--timeout takes seconds, such as 90 or 0.5, up to 1e9, but got '{value}'",
                          self.refused("--timeout", value, "true"))

    def test_how_to_record_is_noted_where_nothing_is_recorded(self):
        job = run("--trace-calls", "all", "--trace-limit", "3", "true")
        self.assertEqual(job.code, 0)
        self.assertIn("without effect here: --trace-calls (there is neither --trace nor --report), --trace-limit (", job.err)


if __name__ == "__main__":
    main()
