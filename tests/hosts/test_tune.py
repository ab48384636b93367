# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling tune --host: it measures the links between hosts, jobs go by what it has found, and bad input writes nothing."""
import os
import re
import shutil
import signal
import tempfile
import time

from hosts_support import BIN, HostsTest, main

STARLING = os.path.join(BIN, "starling")
PACKET, PAYLOAD = 1514, 1448  # bytes of a packet on the link, and what of them are a message's
# Each of these hosts binds its one rank to the first core, which is the same of all. While a rank spun, the other one could
# not run, which no real host does to another.
SHARE_A_CORE = {"STARLING_WAIT": "sleep"}


class TuneTest(HostsTest):
    written = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "tune.conf")

    def command(self, *words, **environment):
        """On h1; its status, and what it says."""
        enter = self.hosts.start("h1", STARLING, *words, env={**os.environ, **environment})
        out, err = enter.communicate(timeout=120)
        self.assertEqual(self.hosts.left(), [], "processes of the measurement are left")
        return enter.returncode, out, err

    def tune(self, hosts, path="", **environment):
        return self.command("tune", "--quick", "--rsh-agent", self.hosts.agent, "--host", hosts, "-o", path or self.path,
                            **SHARE_A_CORE, **environment)

    def tuned(self, hosts="h1,h2"):
        code, out, err = self.tune(hosts)
        self.assertEqual(code, 0, err)
        self.assertIn(f"{self.path} is written; STARLING_TUNE_FILE={self.path} makes jobs use it", out)
        return err

    def as_tuned(self):
        """A file as tune writes it of h1 and h2, for tests of what comes after: their hosts are alike, so one measures for all."""
        if not TuneTest.written:
            self.tuned()
            with open(self.path, encoding="utf-8") as file:
                TuneTest.written = file.read()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(TuneTest.written)

    def constants(self):
        with open(self.path, encoding="utf-8") as file:
            network = file.read().split("[network]")[1]
        return {key: float(value) for key, value in re.findall(r"(?m)^(\w+) = (\S+)", network)}

    def info(self, *words, **environment):
        code, out, err = self.command("info", "--collectives", *words, **environment)
        self.assertEqual(code, 0, err)
        return re.match(r".*: (\S+)", out)[1], out

    def shape(self, mbit, *hosts):
        """So slow a link that its rate, and no other work on the machine, says how long a long message takes."""
        for host in hosts:
            words = f"tc qdisc replace dev eth0 root tbf rate {mbit}mbit burst 128kb latency 50ms"
            done = self.hosts.run(host, *words.split())
            if done.returncode != 0:
                raise AssertionError(f"the kernel shapes no traffic (tbf): {done.stderr}")
            self.addCleanup(self.hosts.run, host, *"tc qdisc del dev eth0 root".split())

    def rate_is_found(self, mbit, found):
        """It comes of messages of 256 KiB and 1 MiB, at 100 Mb/s 66 ms apart: some of these may be others' work."""
        byte_ns = 8000 / mbit * PACKET / PAYLOAD
        self.assertAlmostEqual(found["long_byte_ns"], byte_ns, delta=0.25 * byte_ns, msg=found)
        # 64 KiB take 5 ms, and other work may keep a rank from its core as long; nothing makes them faster than the link.
        self.assertGreater(found["byte_ns"], 0.8 * byte_ns, found)
        self.assertLess(found["byte_ns"], 2 * byte_ns, found)


class OfTwoHosts(TuneTest):
    def test_the_rate_of_a_shaped_link_is_found_and_changes_what_is_chosen(self):
        self.shape(100, "h1", "h2")
        said = self.tuned()
        found = self.constants()
        line = r"(?m)^starling tune: h1 and h2: 8 B in [\d.]+ us, 64 KiB in [\d.]+ us, (\d+) MB/s$"
        self.assertRegex(said, line)
        self.assertAlmostEqual(int(re.search(line, said)[1]), 1000 / found["long_byte_ns"], delta=1)
        self.assertEqual(sorted(found), ["byte_ns", "long_byte_ns", "long_ns", "message_ns", "next_ns", "send_ns"])
        self.rate_is_found(100, found)
        changed = [(size, operation) for size in (4096, 8192, 16384, 32768, 65536) for operation in ("allreduce", "bcast")
                   if self.info(operation, str(size), "4", "4", STARLING_TUNE_FILE="none")[0] !=
                   self.info(operation, str(size), "4", "4", STARLING_TUNE_FILE=self.path)[0]]
        self.assertTrue(changed, "so slow a network changes nothing")

    def test_jobs_go_by_what_was_measured_and_info_and_doctor_tell_of_it(self):
        hosts = ("--rsh-agent", self.hosts.agent, "--host", "h1,h2")
        _, out, _ = self.command("doctor", *hosts, STARLING_TUNE_FILE="none")
        self.assertRegex(out, r"(?m)^note tuning .*go by defaults for it; 'starling tune --host h1,h2' measures\.$")
        self.as_tuned()
        told = self.succeeds("-n", "2", "--host", "h1:1,h2:1", "printenv", "STARLING_JOB_TUNING",
                             environment={"STARLING_TUNE_FILE": self.path})
        self.assertEqual(told.err, "")
        lines = told.out.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(dict(re.findall(r"network\.(\w+)=(\S+)", lines[0])),
                         {key: f"{value:.4g}" for key, value in self.constants().items()})
        _, said = self.info("allreduce", "8192", "16", "2", STARLING_TUNE_FILE=self.path)
        self.assertRegex(said, rf"(?m)^network: from {self.path}, measured 2\S+Z between h1, h2 \(h1 and h2: 8 B in .*MB/s\)$")
        self.assertNotIn("network: from", self.info("allreduce", "8192", "16", STARLING_TUNE_FILE=self.path)[1])
        code, out, _ = self.command("doctor", *hosts, STARLING_TUNE_FILE=self.path)
        self.assertEqual(code, 0, out)
        self.assertRegex(out, rf"(?m)^ok +tuning +collective calls know this network from {self.path}, measured")

    def test_what_the_file_has_of_the_node_stays(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("format = 1\n[machine]\ncpu = \"Another\"\ncores = 77\n[near]\nline_ns = 123\n[all]\nturn_ns = 77\n")
        self.tuned()
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        for line in ('cpu = "Another"', "line_ns = 123", "turn_ns = 77", 'names = "h1 h2"'):
            self.assertIn(line, text)

    def test_a_file_of_other_hosts_warns_once_and_the_defaults_hold(self):
        self.as_tuned()
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text.replace('names = "h1 h2"', 'names = "h1 h7"'))
        job = self.succeeds("-n", "2", "--host", "h1:1,h2:1", "printenv", "STARLING_JOB_TUNING",
                            environment={"STARLING_TUNE_FILE": self.path})
        self.assertEqual(job.out, "\n\n")
        self.assertEqual(job.err.count("starling:"), 1, job.err)
        self.assertIn("its network was measured between h1,h7, and h2 is none of them", job.err)
        self.assertIn(f"'starling tune --host h1,h2 -o {self.path}'", job.err)

    def refuses(self, hosts, words, path="", code=2, **environment):
        """One sentence, and no file."""
        status, out, err = self.tune(hosts, path, **environment)
        said = [line for line in err.splitlines() if not line.endswith(" ...")]
        self.assertEqual((status, out, len(said)), (code, "", 1), err)
        self.assertRegex(said[0], f"^starling tune: .*{words}")
        self.assertEqual(os.listdir(self.folder), [])
        return err

    def test_hosts_that_cannot_be_measured_are_refused_in_a_sentence(self):
        self.refuses("h1,h2,h1", "host h1 is named twice")
        self.refuses("h1,localhost,h2", "two of the hosts are h1; name it once")
        self.refuses("h1", "this is one; without --host the machine itself is measured")
        self.refuses("h2", "this is one")
        self.refuses("h1,h2:0", "'0' is no number of slots")
        self.refuses("h1,h9", "h9", code=1, STARLING_LAUNCH_DEADLINE_MS="5000")

    def test_a_file_that_cannot_be_written_is_known_before_it_is_measured(self):
        err = self.refuses("h1,h2", "cannot write '/dev/null/x'", "/dev/null/x", code=1)
        self.assertNotIn("measuring", err)

    def test_a_signal_in_the_middle_ends_all_and_writes_nothing(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("format = 1\n[network]\nmessage_ns = 5\n")
        enter = self.hosts.start("h1", STARLING, "tune", "--rsh-agent", self.hosts.agent, "--host", "h1,h2", "-o", self.path,
                                 env={**os.environ, **SHARE_A_CORE})
        self.assertEqual(enter.stderr.readline(), "starling tune: measuring between 2 hosts ...\n")
        time.sleep(1)
        self.hosts.run("h1", "sh", "-c", f"kill -INT $(pgrep -f '^{STARLING} tune --rsh' | head -1)")
        _, err = enter.communicate(timeout=30)
        self.assertEqual(enter.returncode, 128 + signal.SIGINT, err)
        self.assertIn("starling tune: a signal has ended it, and no file is written\n", err)
        self.assertEqual(self.hosts.left(), [])
        self.assertEqual(os.listdir(self.folder), ["tune.conf"])
        self.assertEqual(self.constants(), {"message_ns": 5})


class OfUnequalHosts(TuneTest):
    wishes = {"count": 3}

    def test_the_slowest_pair_counts_and_the_file_tells_of_the_fastest(self):
        # Which pair is the slowest shall not hang on other work, either, which on a busy core delays a message by 20 ms.
        self.shape(20, "h3")
        said = self.tuned("h1,h2,h3")
        self.assertEqual(len(re.findall(r"(?m)^starling tune: h\d and h\d: ", said)), 3, said)
        self.rate_is_found(20, self.constants())
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, r'(?m)^slowest = "h\d and h3: .*"$')
        self.assertRegex(text, r'(?m)^fastest = "h1 and h2: .*"$')
        self.assertIn('names = "h1 h2 h3"', text)


if __name__ == "__main__":
    main()
