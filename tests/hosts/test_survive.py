# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over hosts that go on (mpiexec --survive) when ranks, hosts or links die: what survivors see of each kind of call, how
soon they see it, what mpiexec says and ends with, and that nothing is left."""
import contextlib
import os
import random
import re
import signal
import sys
import tempfile
import time

from hosts_support import BIN, MPIEXEC, HostsTest, Job, best_time, main, processes

SURVIVORS = os.path.join(BIN, "resilience_survivors")
REPLACE = os.path.join(BIN, "resilience_replace")
REPLACE_STORM = os.path.join(BIN, "resilience_replace_storm")
FARM = os.path.join(BIN, "farm_program_starling")
DEAD_AFTER_MS = 2000  # STARLING_NET_DEAD_AFTER_MS: the least that it may be
QUICK = {"STARLING_NET_DEAD_AFTER_MS": str(DEAD_AFTER_MS)}
PATIENCE_S = 30
UNASKED = ("-x", "STARLING_NET_EAGER_LIMIT=32768")  # so that a message of 1 MiB does not leave unasked, as on one node
CASES = ("receives", "wildcards", "sends", "probes", "communicators", "groups", "intercommunicators", "windows",
         "windows_in_use", "files", "revoke", "agree", "shrink", "requests", "finalize", "notice")


def comm_of(process):
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def processor_time(process):
    """In seconds; None where it has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    except OSError:
        return None
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Survive(HostsTest):
    wishes = {"count": 3}

    def survives(self, *arguments, code=0, **options):
        job = self.run_job("--survive", *arguments, **options)
        self.assertEqual(job.code, code, f"{' '.join(job.command)}\n{job.out}\n{job.err}")
        self.assertNotIn("starling: note", job.err)
        return job

    def test_survivors_of_two_hosts_see_what_those_of_one_see(self):
        for case in CASES:
            with self.subTest(case=case):
                self.survives("-n", "5", "--host", "h1:3,h2:2", *UNASKED, SURVIVORS, case)

    def test_they_see_the_same_where_the_last_rank_of_a_host_dies(self):
        for case in ("wildcards", "revoke", "agree", "shrink", "finalize"):
            with self.subTest(case=case):
                self.survives("-n", "4", "--host", "h1:3,h2:1", SURVIVORS, case)

    def test_they_see_the_same_where_ranks_are_dealt_in_turns_and_revocations_go_over_the_graph(self):
        for case in ("revoke", "shrink"):
            with self.subTest(case=case):
                self.survives("-n", "8", "--host", "h1:4,h2:2,h3:2", "--map-by", "node", "-x", "STARLING_REVOKE_FLAGS=0",
                              SURVIVORS, case)

    # Who kills from outside.

    def start_waiting(self, hosts, ranks):
        """Ranks that all wait for anybody's message, which never comes."""
        job = Job(self.hosts, "--survive", "-n", str(ranks), "--host", hosts, SURVIVORS, "waits", environment=QUICK)
        while job.said.count(" waits\n") < ranks:
            line = job.enter.stdout.readline()
            if not line:
                job.finish()
                raise AssertionError(f"the job ended before its ranks waited: {job.code}\n{job.out}\n{job.err}")
            job.said += line
        return job

    def ranks_of(self, host):
        return [process for process in self.hosts.processes(host) if comm_of(process).startswith("resilience_surv")]

    def survivors_learn(self, strike, hosts, ranks, living, limit_s, victims_of=None):
        """The longest time from the strike until a survivor knew of it."""
        def attempt():
            job = self.start_waiting(hosts, ranks)
            victims = victims_of() if victims_of else ()
            struck = time.monotonic()
            strike(*victims)
            try:
                job.finish(PATIENCE_S)
            finally:
                self.hosts.mend("h2")
            self.assertEqual(job.code, 0, job.out + job.err)
            self.assertIn(f"\n{living} live\n", job.out)
            self.assertEqual(self.hosts.left(PATIENCE_S), [], "processes of the job are left")
            self.said = job.err
            learnt = {rank: float(at) for rank, at in re.findall(r"rank (\d+) learnt at ([\d.]+)", job.out)}
            return max(at - struck for rank, at in learnt.items() if int(rank) < living)
        self.assertLess(best_time(3, limit_s, attempt), limit_s)

    def test_a_killed_rank_is_known_on_all_hosts_soon(self):
        self.survivors_learn(lambda *ranks: os.kill(ranks[-1], signal.SIGKILL), "h1:3,h2:2", 5, 4, 0.2,
                             victims_of=lambda: self.ranks_of("h2"))
        self.assertRegex(self.said, r"starling: rank 4 \(.* on host h2\) died of SIGKILL.*; the job goes on\.\n$")

    def test_a_killed_host_is_known_soon_and_the_job_goes_on_without_it(self):
        self.survivors_learn(lambda: self.hosts.kill_all("h2"), "h1:3,h2:2", 5, 3, 1)
        self.assertRegex(self.said, r"starling: host h2: the connection to its agent has ended.* It has ranks 3-4, at .*; "
                                    r"the job goes on without this host\.\n$")

    def test_a_host_that_does_not_answer_is_dead_after_the_time_that_it_may_be_silent(self):
        for name, break_it in (("cut", self.hosts.cut), ("mute", self.hosts.mute)):
            with self.subTest(name):
                self.survivors_learn(lambda: break_it("h2"), "h1:3,h2:2", 5, 3, DEAD_AFTER_MS / 1000 + 1)
                self.assertIn("; the job goes on without this host.\n", self.said)

    def test_a_killed_agent_loses_its_host_alone(self):
        def strike():
            agent = [process for process in self.hosts.processes("h2") if "agent" in processes.command_line(process)]
            os.kill(agent[-1], signal.SIGKILL)
        self.survivors_learn(strike, "h1:2,h3:1,h2:2", 5, 3, 1)

    def test_an_mpiexec_that_is_killed_ends_the_job(self):
        job = self.start_waiting("h1:1,h2:2", 3)
        os.kill(job.mpiexec, signal.SIGKILL)
        job.finish(PATIENCE_S)
        self.assertEqual(self.hosts.left(PATIENCE_S), [], "processes of the job are left")

    def test_a_rank_that_lives_without_its_connections_is_killed_and_said(self):
        job = self.survives("-n", "4", "--host", "h1:2,h2:2", SURVIVORS, "unplugged")
        self.assertIn("starling: host h2: rank 3 lives, but ranks of other hosts have lost the connection to it.", job.err)

    def test_of_two_hosts_that_do_not_reach_each_other_one_is_given_up(self):
        addresses = self.hosts.plan.addresses("h2", 0)

        def strike():
            for address in addresses:
                self.hosts.run("h3", "ip", "-6" if ":" in address else "-4", "route", "add", "blackhole", address)
        job = self.start_waiting("h1:1,h3:1,h2:2", 4)
        strike()
        try:
            job.finish(PATIENCE_S)
        finally:
            for address in addresses:
                self.hosts.run("h3", "ip", "-6" if ":" in address else "-4", "route", "del", "blackhole", address)
        self.assertEqual(job.code, 0, job.out + job.err)
        self.assertRegex(job.out, r"\n[123] live\n")
        # By its silence the host is found, by a connection that ends a rank of it.
        self.assertRegex(job.err, r"starling: host h[23]: (it and host h[23] do not reach each other any more.*goes on|"
                                  r"rank [123] lives, but ranks of other hosts have lost the connection)")
        self.assertEqual(self.hosts.left(PATIENCE_S), [], "processes of the job are left")

    def launchers_of(self, host):
        """The agents of a host, and mpiexec, each as the process that the user has started and its worker."""
        def is_launcher(process):
            try:
                return os.path.samefile(f"/proc/{process}/exe", MPIEXEC)
            except OSError:
                return False
        return [process for process in self.hosts.processes(host) if is_launcher(process)]

    def watch_processor_time(self, job):
        """The most that a launcher of the job has used, in seconds, until it has gone from all hosts."""
        used = {}
        deadline = time.monotonic() + PATIENCE_S
        while (left := [process for host in self.hosts.names for process in self.hosts.processes(host)]) or job.enter.poll() is None:
            self.assertLess(time.monotonic(), deadline, f"left: {[processes.command_line(each) for each in left]}")
            for process in left:
                if comm_of(process) == "starling-job":
                    used[process] = processor_time(process) or used.get(process, 0)
            time.sleep(0.02)
        return max(used.values(), default=0)

    def test_whoever_is_killed_no_launcher_keeps_a_core_busy_and_no_zombie_stays(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        print(f"seed {seed}", file=sys.stderr)
        for number in range(6):
            host = dice.choice(("h1", "h2"))
            with self.subTest(f"seed {seed}, number {number}, {host}"):
                job = self.start_waiting("h1:2,h2:2", 4)
                time.sleep(dice.random() * 0.3)
                chosen = dice.choice(self.launchers_of(host))
                print(f"{number}: {host}, {processes.command_line(chosen)[:60]}", file=sys.stderr)
                os.kill(chosen, signal.SIGKILL)
                with contextlib.suppress(ProcessLookupError):  # it may have gone with the launcher
                    if dice.random() < 0.3:
                        os.kill(dice.choice(self.ranks_of("h2") or [chosen]), signal.SIGKILL)
                self.assertLess(self.watch_processor_time(job), 0.5)
                job.finish(PATIENCE_S)
                self.assertEqual(self.zombies(), [])

    def zombies(self, limit_s=5):
        """The dead processes on any host that nobody has taken; the first process of each takes orphans."""
        namespaces = {processes.namespace(first) for first in self.hosts.first_processes.values()}
        deadline = time.monotonic() + limit_s
        while True:
            found = [comm_of(process) for process in filter(str.isdigit, os.listdir("/proc"))
                     if processes.namespace(process) in namespaces and processes.is_zombie(process)]
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.05)

    # How it ends.

    def test_the_exit_status_is_that_of_the_first_death_where_nobody_finishes(self):
        for words, code, environment in (("kill -9 $$", 137, {}), ("exit 0", 0, {}), ("kill -9 $$", 137, {"STARLING_FT": "1"})):
            with self.subTest(words):
                option = [] if environment else ["--survive"]
                job = self.run_job(*option, "-n", "2", "--host", "h1:1,h2:1", "sh", "-c", words, environment=environment)
                self.assertEqual(job.code, code, job.err)
                self.assertEqual(job.err.count("the job goes on"), 2 if code else 0)

    # Those that come back, and those that work on.

    def test_spares_and_new_processes_take_the_places_of_the_dead(self):
        self.survives("-n", "4", "--host", "h1:2,h2:2", REPLACE, "3")
        self.succeeds("--spares", "2", "-n", "4", "--host", "h1:3,h2:3", REPLACE, "2")
        self.succeeds("--host", "h1:3,h2:3", "--spares", "1", "-n", "2", REPLACE, "5", "a", "2",
                      ":", "--spares", "1", "-n", "2", REPLACE, "5", "b", "2")

    def test_so_do_new_processes_while_others_die(self):
        for seed, where in (("3", "h1:1,h2:4,h3:3"), ("6", "h1:4,h2:4")):
            with self.subTest(seed=seed):
                self.survives("-n", "8", "--host", where, REPLACE_STORM, seed, "10")

    def test_a_farm_whose_processes_and_host_are_killed_loses_nothing(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        count = 3000
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            job = Job(self.hosts, "--survive", "-n", "7", "--host", "h1:1,h2:3,h3:3", FARM, str(count), "1000", "10", out,
                      "--farm-threads=1")
            while not os.path.exists(out) and job.enter.poll() is None:
                time.sleep(0.005)
            time.sleep(dice.uniform(0, 0.1))
            workers = [process for process in self.hosts.processes("h2") if comm_of(process).startswith("farm_")]
            os.kill(dice.choice(workers), signal.SIGKILL)
            time.sleep(dice.uniform(0, 0.1))
            self.hosts.kill_all("h3")
            job.finish(PATIENCE_S)
            with open(out, encoding="utf-8") as file:
                lines = sorted(map(int, file.read().split()))
        print(f"seed {seed}", file=sys.stderr)
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(lines, list(range(count)), job.err)
        self.assertIn("4 processes died", job.err)
        self.assertEqual(self.hosts.left(), [], "processes of the job are left")


if __name__ == "__main__":
    main()
