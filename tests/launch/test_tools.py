# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The other commands of `starling`."""
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

from launch_support import BIN, STARLING, LaunchTest, main

PROBE_OF_SETTINGS = os.path.join(BIN, "launch_join_end")  # an MPI program that does nothing without arguments
# Options and variables of the build, which no program reads from its environment.
CMAKE_ONLY = {"STARLING_CHECKS", "STARLING_CONFIG", "STARLING_FORTRAN", "STARLING_MPIEXEC", "STARLING_TOGETHER", "STARLING_SANITIZE"}


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

    def test_no_setting_that_a_page_names_is_called_unknown(self):
        folder = os.path.join(os.path.dirname(__file__), "../..")
        pages = [os.path.join(folder, "README.md")]
        for name in ("howto", "reference"):
            pages += [os.path.join(folder, "docs", name, page) for page in os.listdir(os.path.join(folder, "docs", name))
                      if page.endswith(".md")]
        names = set()
        for page in pages:
            with open(page) as file:
                names |= set(re.findall(r"\bSTARLING_[A-Z][A-Z_]*[A-Z]\b", file.read()))
        names -= CMAKE_ONLY
        self.assertGreater(len(names), 50)
        default = starling("info", "--config").stdout
        for name in sorted(names):
            value = re.search(rf"^{name}=(.*)$", default, re.M)
            environment = {name: value[1].strip("'") if value else "1"}
            with self.subTest(name):
                done = subprocess.run([PROBE_OF_SETTINGS], capture_output=True, text=True, timeout=30,
                                      env=dict(os.environ, **environment))
                self.assertNotIn("is not a variable of Starling", done.stderr)

    def test_a_wrong_word_is_answered_in_one_line_that_says_what_is_right(self):
        for words, said in (
                ("whyy", "starling: there is no command 'whyy', did you mean 'why'?; 'starling -h' lists them"),
                ("x", "starling: there is no command 'x'; 'starling -h' lists them"),
                ("help frob", "starling: there is no command 'frob'; 'starling -h' lists them"),
                ("why --quik", "starling why: does not take '--quik', did you mean '--quick'?; 'starling why -h' says"),
                ("ps x", "starling ps: does not take 'x'; 'starling ps -h' says what it takes"),
                ("trace", "starling trace: takes summary, convert or report; 'starling trace -h' says what it takes"),
                ("trace frob", "starling trace: takes summary, convert or report, but got 'frob'; 'starling trace -h'"),
                ("trace summary", "starling trace summary: file is required; 'starling trace summary -h' says"),
                ("top --interval", "starling top: --interval: 1 required SECONDS:"),
                ("top --interval -1", "starling top: --interval: Value -1 not in range")):
            with self.subTest(words):
                done = starling(*words.split())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(said), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_help_of_a_command_is_its_help(self):
        self.assertEqual(starling("help", "why").stdout, starling("why", "-h").stdout)
        self.assertIn("--quick", starling("help", "why").stdout)

    def test_the_addresses_for_other_hosts_are_explained(self):
        done = starling("explain", "net")
        self.assertIn("127.0.0.1 (lo): it is a loopback address", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^congestion control: \w+")
        self.assertRegex(done.stdout, r"(?m)^ports: any that is free")
        self.assertIn("proof of the job's secret: ", done.stdout)
        offered = done.stdout.split("the best first:\n")[1].split("    A job")[0]
        self.assertEqual(done.returncode, 0 if "/" in offered and "is installed" in done.stdout else 1, done.stdout)

    def test_settings_of_the_network_are_explained_or_refused(self):
        done = starling("explain", "net", environment={"STARLING_NET_INTERFACES": "0.0.0.0/32,nothing7",
                                                       "STARLING_NET_PORTS": "47000-47009"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("the best first:\n  none\n", done.stdout)
        self.assertIn("47000 to 47009 (STARLING_NET_PORTS), 10 for each address", done.stdout)
        for name, value in (("INTERFACES", "10.0.0.0/99"), ("PORTS", "9-1"), ("CONGESTION", "carrier-pigeon")):
            refused = starling("explain", "net", environment={f"STARLING_NET_{name}": value})
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"STARLING_NET_{name}={value} is not", refused.stderr)
        self.assertEqual(starling("explain").returncode, 2)
        self.assertEqual(starling("explain", "weather").returncode, 2)

    def test_a_libcrypto_that_computes_nothing_is_named(self):
        """Without a provider of OpenSSL's it would leave all proofs empty, and so alike."""
        with tempfile.NamedTemporaryFile("w", suffix=".cnf") as settings:
            settings.write("openssl_conf = all\n[all]\nproviders = some\n[some]\nnull = on\n[on]\nactivate = 1\n")
            settings.flush()
            done = starling("explain", "net", environment={"OPENSSL_CONF": settings.name})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "computes no HMAC-SHA256|is not installed")

    def test_the_collective_algorithms_are_listed_with_their_costs(self):
        done = starling("info", "--collectives")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("allreduce  (STARLING_COLL_ALLREDUCE)", done.stdout)
        self.assertIn("neighbor_alltoallw", done.stdout)
        self.assertRegex(done.stdout, r"recursive_doubling +log2\(p\)")
        one = starling("info", "--collectives", "barrier").stdout
        self.assertIn("dissemination", one)
        self.assertNotIn("allreduce", one)

    def test_the_choice_of_an_algorithm_is_explained(self):
        done = starling("info", "--collectives", "bcast", "100", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"bcast, 4 ranks, 100 bytes of the vector: \w+\n")
        self.assertRegex(done.stdout, r"binomial +\d+\.\d\d us +log2")
        forced = starling("info", "--collectives", "bcast", "100", "4", environment={"STARLING_COLL_BCAST": "chain"})
        self.assertIn(": chain (asked for by the configuration)", forced.stdout)
        words = ("info", "--collectives", "alltoall", "65536", "4")
        self.assertIn("calls find out whether linear is quicker", starling(*words).stdout)
        self.assertNotIn("find out", starling(*words, environment={"STARLING_COLL_LEARN": "0"}).stdout)
        words = ("info", "--collectives", "allreduce", "65536", "16", "4")
        many, few = (starling(*words, cores).stdout for cores in ("4", "1"))
        self.assertIn("of the machine (4 cores)", many)
        self.assertIn("of the machine (1 cores)", few)
        for words in (["frob"], ["bcast", "many"], ["bcast", "8", "0"], ["bcast", "8", "4", "2", "0"]):
            self.assertEqual(starling("info", "--collectives", *words).returncode, 2, words)

    def test_the_doctor_finds_this_machine_able(self):
        done = starling("doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        for word in ("cores", "memfd", "membarrier", "process_vm_readv", "futex", "/dev/shm"):
            self.assertIn(word, done.stdout)

    def test_a_schedule_is_printed_and_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            drawing = os.path.join(folder, "schedule.svg")
            done = starling("pap", "schedule", "--arrivals", "0,0,0,11", "--segments", "4", "--round", "10", "--svg",
                            drawing)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("round 1:  2>0:s0  3>1:s1  0>2:s2  1>3:s2\n", done.stdout)
            self.assertIn("15 transfers in 6 rounds", done.stdout)
            root = xml.etree.ElementTree.parse(drawing).getroot()
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, name + "svg")
        titles = [title.text for title in root.iter(name + "title")]
        self.assertEqual(sum("segment" in title for title in titles), 15)
        self.assertIn("3 arrives at 11", titles)

    def test_a_schedule_that_cannot_be_says_why(self):
        for words, reason in ((["--arrivals", "0,-1"], "process 1 arrives at tick -1"),
                              (["--arrivals", "0,0", "--root", "2"], "the root is 2"),
                              (["--arrivals", "0,0", "--segments", "0"], "0 segments"),
                              (["--processes", "0"], r"processes: Value 0 not in range (1 to 1000000|\[1 - 1000000\])"),
                              (["--processes", "2000000000"], "processes: Value 2000000000 not in range"),
                              (["--processes", "3", "--delay", "-4"], r"delay: Value -4 not in range (0 to|\[0 - )"),
                              (["--processes", "3", "--method", "magic"], "no method 'magic'")):
            done = starling("pap", "schedule", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, reason)  # CLI11 2.4 writes ranges in another way

    def test_an_unknown_command_is_refused(self):
        self.assertEqual(starling("frobnicate").returncode, 2)
        self.assertEqual(starling().returncode, 2)
        self.assertEqual(starling("help").returncode, 0)


if __name__ == "__main__":
    main()
