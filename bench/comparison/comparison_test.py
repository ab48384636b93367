# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what bench/compare concludes from its samples; no MPI library is run."""
import argparse
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from comparison import kept, libraries, over_hosts, pairs, report, runner, suite, targets  # noqa: E402


def figure(value, unit="us"):
    return runner.Figure(value, unit, value, value)


def result_of(group, values, placements=("near",), control_ns=60.0):
    """values: library -> {(name, size): [value of each run]}."""
    result = runner.GroupResult(group)
    for library, figures in values.items():
        result.failures[library] = []
        result.samples[library] = [
            runner.Sample(control_ns, placement, False, {k: figure(v[i]) for k, v in figures.items()}, i)
            for i, placement in enumerate(placements)]
    result.placement = "near"
    return result


def sockets(*values, placement="near"):
    return [runner.Sample(60.0, placement, False, {("socket", 8): figure(value)}) for value in values]


class TargetTest(unittest.TestCase):
    def verdict(self, target, unit="us", control_ns=60.0, own_two_ranks=None, **values):
        figures = {key: figure(value, unit) for key, value in values.items()}
        return targets.judge(target, figures, control_ns, own_two_ranks)

    def test_takes_the_better_peer_for_times_and_for_rates(self):
        time = self.verdict(targets.Target("better", 0.75), starling=3.0, openmpi=5.0, mpich=4.0)
        self.assertEqual((time.ratio, time.met), (0.75, True))
        rate = self.verdict(targets.Target("better", 1.3), unit="MB/s", starling=6.0, openmpi=5.0, mpich=4.0)
        self.assertEqual((rate.ratio, rate.met), (1.2, False))

    def test_judges_against_control_own_figure_open_mpi_and_a_plain_limit(self):
        self.assertTrue(self.verdict(targets.Target("control", 2.5), starling=0.15).met)
        self.assertFalse(self.verdict(targets.Target("control", 2.5), starling=0.16).met)
        self.assertTrue(self.verdict(targets.Target("own", 1.5), own_two_ranks=figure(1.0), starling=1.5).met)
        self.assertFalse(self.verdict(targets.Target("openmpi", 0.4), starling=5.0, openmpi=10.0, mpich=900.0).met)
        self.assertFalse(self.verdict(targets.Target("absolute", 0.1), unit="CPU-s", starling=0.2).met)

    def test_leaves_open_what_has_nothing_to_compare_with(self):
        self.assertIsNone(self.verdict(targets.Target("better", 0.75), starling=1.0).met)
        self.assertIsNone(self.verdict(targets.Target("better", 0.75), openmpi=1.0).met)
        self.assertIsNone(self.verdict(targets.Target("control", 2.5), control_ns=None, starling=1.0).met)

    def test_knows_the_stricter_sizes(self):
        self.assertEqual(targets.of("latency", 2, 1024), [targets.Target("better", 1.0)])
        self.assertEqual(targets.of("latency", 2, 2048), [targets.Target("better", 1 / 1.3)])
        self.assertEqual(targets.of("bandwidth", 2, 65536), [targets.Target("better", 1.3)])
        self.assertEqual(targets.of("bandwidth", 2, 131072), [targets.Target("better", 1.0)])
        self.assertEqual(targets.of("allreduce", 32, 65536), [targets.Target("openmpi", 0.6)])
        self.assertEqual(targets.of("allreduce/reduce+bcast", 4, 64), [targets.Target("absolute", 1.05)])

    def test_measures_every_figure_that_has_a_target(self):
        groups = {g.name for g in suite.full_groups()}
        for name in ("latency-2", "bandwidth-2", "message_rate-2", "collective-2", "collective-16", "collective-32",
                     "pair_among_idle-16", "pair_among_idle-32", "idle_cpu-8", "startup-8", "startup-32", "memory-8"):
            self.assertIn(name, groups)


class PlayedBench:
    """Of four hosts, on which nothing is started."""
    cores = 2
    fifo = False

    class hosts:  # pylint: disable=invalid-name
        agent = "/agent"
        names = ("h1", "h2", "h3", "h4")

        @staticmethod
        def enter(_, *words):
            return words

    @staticmethod
    def program(_, name):
        return name


class PlayedHosts:
    """So many bytes leave each of them during a run."""
    names = ("h1", "h2")

    def __init__(self, bytes_of_run):
        self.counts = {host: iter((7, 7 + bytes_of_run)) for host in self.names}

    def bytes_sent(self, host):
        return next(self.counts[host])

    def kill_all(self, host):
        pass


class HostsTest(unittest.TestCase):
    """Groups over hosts, as far as no host is needed."""

    def test_judges_against_plain_sockets_of_the_same_size(self):
        key = ("latency", 8)
        group = suite.Group("latency", 2, hosts=2)
        result = result_of(group, {"starling": {key: [4.4]}, "openmpi": {key: [4.7]}}, control_ns=None)
        result.sockets = [*sockets(4.0, 3.0), *sockets(40.0, placement="far"), runner.Sample(None, "near", False, {})]
        verdicts = report.judge([result])[(group.name, key)]
        self.assertEqual([round(v.ratio, 2) for v in verdicts], [0.94, 1.26])
        self.assertEqual([v.met for v in verdicts], [True, False])

    def test_a_run_that_does_not_end_counts_as_its_limit_and_is_said(self):
        key = ("barrier", 0)
        result = result_of(suite.Group("collective", 8, hosts=2), {"starling": {key: [30.0]}})
        result.samples["openmpi"] = [runner.Sample(None, "near", False, {key: runner.at_limit("us", 45.0)})]
        result.failures["openmpi"] = []
        cells = report.rows(result, report.judge([result]))[0]
        self.assertEqual((cells[4], cells[-2]), ("no end: 45000000", "yes"))
        self.assertIn("≤ 0.05 of the better", cells[-3])

    def test_of_a_figure_and_a_limit_the_figure_counts(self):
        key = ("latency", 8)
        result = result_of(suite.Group("latency", 2, hosts=2), {"mpich": {key: [9.0]}})
        result.samples["mpich"].append(runner.Sample(None, "near", False, {key: runner.at_limit("us", 30.0)}))
        middle = result.median("mpich", key)
        self.assertEqual((middle.value, middle.at_limit), (9.0, False))

    def test_a_program_without_end_keeps_the_figures_that_it_printed(self):
        group = suite.Group("latency", 2, hosts=2, limit_s=0.3, expected=(("latency", 8, "us"), ("latency", 64, "us")))
        figures, error = runner.run_once(group, ["sh", "-c", "printf 'latency\\t8\\t1\\tus\\t1\\t1\\n'; sleep 60"], PlayedHosts(1000))
        self.assertIn("no end", error)
        self.assertEqual([figures[key].at_limit for key in (("latency", 8), ("latency", 64))], [False, True])
        self.assertEqual(figures[("latency", 64)].value, 3e5)

    def test_a_library_is_started_on_as_many_hosts_as_the_group_has(self):
        for hosts, names in ((2, ["h1", "h2"]), (4, ["h1", "h2", "h3", "h4"])):
            group = suite.Group("collective", 4 * hosts, hosts=hosts)
            words = [over_hosts.command(library, group, PlayedBench()) for library in libraries.known_libraries("/r", "b")]
            shown = ",".join(f"{name}:4" for name in names)
            self.assertEqual([shown in words[0], shown in words[1], ",".join(names) in words[2]], [True] * 3)

    def test_rows_over_four_hosts_have_a_mean_and_those_over_two_have_none(self):
        key = ("bcast", 8)
        for hosts, text in ((4, "16 ranks on 4 hosts: geometric mean 0.50 of 1 rows"), (2, "")):
            result = result_of(suite.Group("collective", 16, hosts=hosts), {"starling": {key: [10.0]}, "mpich": {key: [20.0]}})
            self.assertEqual(pairs.summary([result]).partition(";")[0], text)

    def test_figures_whose_messages_did_not_cross_the_link_are_none(self):
        """A message of 1 MiB in 1,000 us has room for 500 of them each way in a second."""
        group = suite.Group("latency", 2, ("--budget=1",), hosts=2)
        command = ["printf", "latency\\t1048576\\t1000\\tus\\t1\\t1\\n"]
        figures, error = runner.run_once(group, command, PlayedHosts(500 << 20))
        self.assertEqual((list(figures), error), ([("latency", 1 << 20)], None))
        figures, error = runner.run_once(group, command, PlayedHosts(50 << 20))
        self.assertEqual(figures, {})
        self.assertIn("52428800 bytes have left a host, and the payload is 65536000", error)

    def test_every_figure_over_hosts_has_a_target(self):
        for group in suite.groups_over_hosts(False) + suite.groups_over_four_hosts():
            for name, size, _ in group.expected:
                self.assertNotEqual(targets.over_hosts(name, group.ranks, size), [], group.name)


def computing_in(session):
    """How many programs of a session do nothing but compute."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as words, open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                found += words.read().split("\0")[1:3] == ["-c", "while True: pass"] and stat.read().rpartition(")")[2].split()[3] == str(session)
        except OSError:
            continue
    return found


class BusyTest(unittest.TestCase):
    """Groups beside which others compute."""

    # Prints two figures: its session, and how many compute in it.
    COUNT = f"""import os, sys, time
sys.path.insert(0, {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))!r})
from comparison.comparison_test import computing_in
time.sleep(0.2)
for name, value in ("session", os.getsid(0)), ("computing", computing_in(os.getsid(0))):
    print(name, 0, value, "us", 0, 0, sep="\\t")
"""

    def test_as_many_others_compute_as_the_group_says_and_none_is_left(self):
        for computing in (2, 0):
            group = suite.Group("collective", 2, computing=computing)
            figures, error = runner.run_once(group, [sys.executable, "-c", self.COUNT])
            self.assertEqual((figures[("computing", 0)].value, error), (computing, None))
            self.assertEqual(computing_in(int(figures[("session", 0)].value)), 0)

    def test_the_suite_has_such_groups_with_targets_and_a_mean_of_their_own(self):
        groups = [group for group in suite.groups(False) if group.computing]
        self.assertEqual({group.computing for group in groups}, {2})
        key = ("allreduce", 8)
        results = [result_of(group, {"starling": {key: [10.0]}, "mpich": {key: [20.0]}})
                   for group in (suite.Group("collective", 4, title="quiet"), suite.Group("collective", 4, title="busy", computing=2))]
        self.assertEqual([v.target.limit for v in report.judge(results)[("busy-4", key)]], [1.05])
        self.assertIn("4 ranks beside 2 programs that compute: geometric mean 0.50 of 1 rows", pairs.summary(results))


class SampleTest(unittest.TestCase):
    def test_classes_a_run_by_the_control_on_both_sides(self):
        sibling, near, far = runner.Control(27.0, 13.0), runner.Control(55.0, 50.0), runner.Control(260.0, 250.0)
        self.assertEqual(runner.Sample.between(sibling, sibling, {}).placement, "sibling")
        self.assertEqual(runner.Sample.between(sibling, near, {}).placement, "mixed")
        self.assertEqual(runner.Sample.between(near, near, {}).placement, "near")
        self.assertEqual(runner.Sample.between(far, far, {}).placement, "far")
        self.assertEqual(runner.Sample.between(near, far, {}).placement, "mixed")
        self.assertEqual(runner.Sample.between(None, far, {}).placement, "unknown")
        self.assertTrue(runner.Sample.between(near, runner.Control(500.0, 50.0), {}).busy)

    def test_takes_the_median_of_one_class_only(self):
        key = ("latency", 8)
        result = result_of(suite.Group("latency", 2), {"starling": {key: [1.0, 100.0, 3.0, 2.0]}},
                           ("near", "far", "near", "near"))
        self.assertEqual(result.median("starling", key).value, 2.0)
        self.assertEqual(result.median("starling", key).high, 3.0)

    def test_reads_figures_and_skips_remarks(self):
        figures = runner.parse_figures("# remark\nlatency\t8\t0.5\tus\t0.4\t0.6\nwarning: something\n")
        self.assertEqual(figures, {("latency", 8): runner.Figure(0.5, "us", 0.4, 0.6)})


class PairsTest(unittest.TestCase):
    def pairing(self, own, peer, key=("bcast", 8), other=None):
        values = {"starling": {key: own}, "openmpi": {key: peer}}
        if other:
            values["mpich"] = {key: other}
        return pairs.pair(result_of(suite.Group("collective", 4), values, ("near",) * len(own)), key)

    def test_an_interval_leaves_out_as_much_as_it_may(self):
        self.assertIsNone(pairs.interval([1, 2, 3, 4, 5]))
        self.assertEqual(pairs.interval([6, 1, 2, 3, 4, 5]), (1, 6))
        self.assertEqual(pairs.interval(range(9)), (1, 7))
        self.assertEqual(pairs.interval(range(15)), (3, 11))

    def test_behind_is_what_is_surely_slower_and_by_more_than_20_ns(self):
        self.assertTrue(self.pairing([1.1] * 9, [1.0] * 9).behind)
        self.assertFalse(self.pairing([1.04] * 9, [1.0] * 9).behind)
        self.assertFalse(self.pairing([0.11] * 9, [0.1] * 9).behind)
        self.assertFalse(self.pairing([1.0, 1.0, *[1.1] * 7], [1.0] * 9).behind)
        self.assertFalse(self.pairing([2.0] * 5, [1.0] * 5).behind)

    def test_one_disturbed_pair_decides_nothing(self):
        pairing = self.pairing([1.1] * 8 + [0.01], [1.0] * 9)
        self.assertEqual((round(pairing.low, 2), pairing.behind), (1.1, True))

    def test_pairs_are_those_of_one_round_with_the_better_peer(self):
        pairing = self.pairing([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], other=[9.0, 1.0, 9.0])
        self.assertEqual((pairing.ratio, pairing.slower_ns), (1.0, 0.0))

    def test_the_runs_of_a_pair_had_cores_of_one_class(self):
        key = ("bcast", 8)
        result = result_of(suite.Group("collective", 4), {"starling": {key: [1.0] * 7}, "mpich": {key: [2.0] * 7}},
                           ("near",) * 4 + ("far",) * 3)
        self.assertEqual(pairs.pair(result, key).low, 0.5)
        for sample in result.samples["mpich"]:
            sample.placement = "far"
        self.assertIsNone(pairs.pair(result, key).low)

    def test_a_collective_without_data_is_counted_apart(self):
        empty = self.pairing([0.05] * 9, [0.02] * 9, ("bcast", 0))
        self.assertTrue(empty.behind)
        self.assertFalse(self.pairing([0.03] * 9, [0.02] * 9, ("bcast", 0)).behind)
        result = result_of(suite.Group("collective", 4), {"starling": {("bcast", 0): [5.0] * 9, ("bcast", 8): [1.0] * 9},
                                                          "mpich": {("bcast", 0): [1.0] * 9, ("bcast", 8): [2.0] * 9}},
                           ("near",) * 9)
        text = pairs.summary([result])
        self.assertIn("geometric mean 0.50 of 1 rows; 1 of 2 with an interval are behind", text)
        self.assertIn("behind: collective-4 bcast 0 B: 5.00", text)

    def test_more_of_a_rate_is_better(self):
        key = ("message_rate", 8)
        result = result_of(suite.Group("message_rate", 2), {"starling": {key: [1.0] * 9}, "mpich": {key: [2.0] * 9}},
                           ("near",) * 9)
        for samples in result.samples.values():
            for sample in samples:
                sample.figures[key] = figure(sample.figures[key].value, "Mmsg/s")
        self.assertTrue(pairs.pair(result, key).behind)


class ReportTest(unittest.TestCase):
    def test_shows_ratio_target_and_verdict_in_a_row(self):
        key = ("pair_among_idle", 8)
        reference = result_of(suite.Group("pair_among_idle", 2),
                              {"starling": {key: [1.0]}, "openmpi": {key: [2.0]}, "mpich": {key: [4.0]}})
        oversubscribed = result_of(suite.Group("pair_among_idle", 16),
                            {"starling": {key: [3.0]}, "openmpi": {key: [12.0]}, "mpich": {key: [900.0]}})
        verdicts = report.judge([reference, oversubscribed])
        cells = report.rows(oversubscribed, verdicts)[0]
        self.assertEqual(cells[3:7], ["3", "12", "900", "0.25"])
        self.assertEqual(cells[7:9], ["≤ 1.5 of its own 2 ranks (3.00)", "no"])
        self.assertIn("0 met, 1 missed", report.summary(verdicts))

    def test_counts_a_failed_run_of_starling_as_a_miss(self):
        key = ("message_rate", 8)
        result = result_of(suite.Group("message_rate", 2), {"openmpi": {key: [2.0]}})
        result.samples["starling"], result.failures["starling"] = [], ["exit status 1"]
        verdicts = report.judge([result])
        self.assertIn("0 met, 1 missed", report.summary(verdicts))
        self.assertEqual(report.rows(result, verdicts)[0][3], "failed")

    def test_the_page_of_groups_over_hosts_has_the_ranges_and_the_load(self):
        key = ("latency", 8)
        group = suite.Group("latency", 2, title="hosts_latency", hosts=2)
        result = result_of(group, {"starling": {key: [3.0, 1.0, 2.0]}}, ("near", "near", "near"))
        result.sockets = sockets(2.0)
        workbench = libraries.Workbench("/root", 2, "", [], versions={"compiler": "cc 12"})
        arguments = argparse.Namespace(rounds=3, quick=False, fifo=True)
        page = report.markdown(workbench, [result], report.judge([result]), arguments, "1.0 2.0 3.0")
        self.assertIn("# Performance over two hosts\n", page)
        self.assertIn("rounds: 3; real-time priority\n", page)
        self.assertIn("1.0 2.0 3.0 before, ", page)
        self.assertIn("| latency | 8 | 1 to 3 | - | - |\n", page)
        result.commands = {"starling": ["nsenter", "--target=7", "--net", "--", "/root/bin/mpiexec", "--rsh-agent", "/tmp/test-hosts-7-abc/rsh"]}
        page = report.markdown(workbench, [result], report.judge([result]), arguments, "")
        self.assertIn("\nbin/mpiexec --rsh-agent $TEST_HOSTS/rsh\n", page)
        result.group = suite.Group("latency", 2)
        page = report.markdown(workbench, [result], {("latency-2", key): []}, arguments, "")
        self.assertIn("# Performance\n", page)
        self.assertNotIn("1 to 3", page)

    def test_a_new_page_keeps_the_section_of_the_levels(self):
        section = f"{report.LEVELS_SECTION}\n\nfigures\n"
        self.assertEqual(report.beside("# Old\n\nwords\n\n" + section), section)
        self.assertEqual(report.without_levels("# Page\n\n" + section), "# Page\n\n")

    def test_runs_that_were_kept_are_put_together_round_after_round(self):
        key = ("barrier", 0)
        group = next(g for g in suite.groups_over_hosts(False) if g.name == "hosts_barrier-8")
        workbench = libraries.Workbench("/root", 2, "", [], versions={"compiler": "cc 12"})
        arguments = argparse.Namespace(rounds=1, quick=False, fifo=False)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, (own, peer) in enumerate(((10.0, figure(900.0)), (30.0, runner.at_limit("us", 45.0)), (20.0, figure(800.0)))):
                result = result_of(group, {"starling": {key: [own]}, "openmpi": {key: [1.0]}})
                result.samples["openmpi"][0].figures[key] = peer
                result.sockets = sockets(own)
                result.commands = {"starling": ["/root/bin/mpiexec", "-n", "8"]}
                files.append(os.path.join(folder, str(number)))
                with open(files[-1], "w", encoding="utf-8") as file:
                    json.dump(report.as_data(workbench, [result], {}, arguments, f"{number}.0"), file)
            earlier = kept.read(files)
            with open(files[0], encoding="utf-8") as file, open(files[1], "w", encoding="utf-8") as other:
                other.write(file.read().replace("cc 12", "cc 13"))
            self.assertRaises(ValueError, kept.read, files)
            with open(files[1], encoding="utf-8") as file:
                text = file.read()
            with open(files[1], "w", encoding="utf-8") as file:
                file.write(text.replace("hosts_barrier-8", "hosts_allreduce-8"))
            self.assertEqual(kept.versions(kept.read(files)), {"compiler": "cc 12; cc 13"})
        together, = kept.results(earlier, [group])
        self.assertEqual((together.median("starling", key).value, together.median("openmpi", key).value), (20.0, 900.0))
        self.assertEqual([sample.number for sample in together.samples["openmpi"]], [0, 1, 2])
        self.assertEqual([sample.figures[key].at_limit for sample in together.samples["openmpi"]], [False, True, False])
        self.assertEqual(together.socket_us(8), 20.0)
        self.assertEqual(report.shown(together.commands["starling"], "/root"), "bin/mpiexec -n 8")
        self.assertEqual([data["loads"][0] for data in earlier], ["0.0", "1.0", "2.0"])

    def test_a_page_that_is_written_again_keeps_what_was_measured_otherwise(self):
        rest = f"{report.BESIDE}\n\nBy hand.\n\n{report.LEVELS_SECTION}\n\nfigures\n"
        self.assertEqual(report.beside("# Performance\n\nold\n\n" + rest), rest)
        self.assertEqual(report.beside("# Performance\n"), "")


if __name__ == "__main__":
    unittest.main()
