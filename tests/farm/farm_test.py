#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the farm's test program on one MPI, and checks every line that it wrote.

usage: farm_test.py CASE[,CASE...] PROGRAM LAUNCHER [LAUNCHER OPTION...]

FARM_KILLS is how often the case 'resume' kills the server (10), FARM_DEATHS how many processes 'deaths' and 'port_deaths'
kill each, and how many farms 'poison_at_once' runs (6).
"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CASES, PROGRAM, LAUNCHER = sys.argv[1].split(","), sys.argv[2], sys.argv[3:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")
THREE_LEVELS = """root = "top"
[nodes.top]
threads = 1
children = ["left", "right"]
[nodes.left]
children = ["leaf"]
[nodes.leaf]
threads = 2
[nodes.right]
"""
TIMEOUT_S = 120


class Farm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farm_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def command(self, ranks, count, microseconds, size, *options):
        launch = [] if ranks == 0 else [*LAUNCHER, "-n", str(ranks)]
        return [*launch, PROGRAM, str(count), str(microseconds), str(size), str(self.out), "--farm-threads=1", *options]

    def run_farm(self, *arguments, expect=0, **more):
        done = subprocess.run(self.command(*arguments), env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT_S, **more)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def lines(self):
        return [line for out in (self.out, *self.folder.glob("out_*")) if out.exists() for line in out.read_text().splitlines()]

    def check(self, count):
        self.assertEqual(sorted(self.lines()), sorted(str(n) for n in range(count)))

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def test_ranks(self):
        for ranks in (0, 1, 2, 4):
            with self.subTest(ranks=ranks):
                self.run_farm(ranks, 3000, 0, 10)
                self.check(3000)

    def test_large(self):
        self.run_farm(3, 60, 0, 700_000)
        self.check(60)

    def test_tree(self):
        done = self.run_farm(4, 2000, 50, 100, "--farm-tree", self.file("tree.toml", THREE_LEVELS), "--farm-order=input")
        self.assertEqual(self.out.read_text().splitlines(), [str(n) for n in range(2000)])
        self.assertIn("4 processes", done.stderr)

    def test_tree_of_one(self):
        """Nobody but the first process is told of the file, and the root of the tree may be another."""
        here = f'host = "{os.uname().nodename}"'
        for node in ("top", "leaf"):  # with a host it is the first to take a rank, 0
            with self.subTest(node=node):
                tree = self.file("tree.toml", THREE_LEVELS.replace(f"[nodes.{node}]", f"[nodes.{node}]\n{here}"))
                program = [PROGRAM, "2000", "50", "100", str(self.out), "--farm-threads=1"]
                launch = [*LAUNCHER, "-n", "1", *program, "--farm-tree", tree, ":", "-n", "3", *program]
                done = subprocess.run(launch, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT_S)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(2000)
                self.assertIn("4 processes", done.stderr)

    def test_farms(self):
        """Farms of which many fail, one after the other in one program: none hears of the one before."""
        seed, farms = random.randrange(1 << 30), os.environ.get("FARM_FARMS", "100")
        program = PROGRAM.replace("farm_program_", "farm_farms_")
        done = subprocess.run([*LAUNCHER, "-n", "4", program, self.folder, str(seed), farms], env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=TIMEOUT_S)
        self.assertEqual((done.returncode, done.stdout), (0, f"{farms} farms, 0 of them wrong\n"), f"seed {seed}: {done.stderr}")
        self.assertNotIn(" took ", done.stderr, f"seed {seed}")  # what is not its own, or damaged

    def test_host_elsewhere(self):
        """A node of a host where no process can be started is a sentence, whoever starts the processes."""
        tree = self.file("tree.toml", THREE_LEVELS.replace("[nodes.leaf]", '[nodes.leaf]\nhost = "nowhere.invalid"'))
        for ranks in (1, 4):
            done = self.run_farm(ranks, 10, 0, 1, "--farm-tree", tree, expect=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"{tree}:8: node 'leaf' wants host 'nowhere.invalid'", done.stderr)

    def test_spawn(self):
        self.run_farm(1, 500, 100, 10, "--farm-tree", self.file("tree.toml", THREE_LEVELS))
        self.check(500)

    def test_ports(self):
        """Inputs and Outputs elsewhere, two of each, as ranks and in a tree file; with stages as well."""
        for ranks in (["--farm-inputs=1", "--farm-outputs=2"], ["--farm-inputs=0,3", "--farm-outputs=2,0"]):
            with self.subTest(ranks=ranks):
                self.run_farm(4, 3000, 0, 10, *ranks)
                self.check(3000)
                for out in self.folder.glob("out*"):
                    out.unlink()
        tree = self.file("tree.toml", 'inputs = ["leaf"]\noutputs = ["right", "leaf"]\n' + THREE_LEVELS)
        self.run_farm(4, 500, 0, 20_000, "4", "--farm-tree", tree, "--farm-order=input")
        self.check(2000)
        for out in self.folder.glob("out_*"):
            numbers = [int(line) for line in out.read_text().splitlines()]
            self.assertEqual(numbers, sorted(numbers))

    def test_direct(self):
        """Large data go from an Input to an Output elsewhere, and do not pass the server: of 64 MiB it sees below one percent."""
        tree = 'inputs = ["leaf"]\noutputs = ["right"]\n' + THREE_LEVELS.replace("threads = 1", "threads = 0")
        done = self.run_farm(4, 64, 100, 512 * 1024, "--farm-tree", self.file("tree.toml", tree))
        self.check(64)
        seen = float(re.search(r"  rank 0: .* messages of (\S+) MiB", done.stderr).group(1))
        self.assertLess(seen, 0.64)
        print(f"the server sent and got {seen} MiB of 64", file=sys.stderr)

    def test_stages(self):
        self.run_farm(0, 100, 0, 10, "30", "--farm-order=input")
        self.assertEqual(self.out.read_text().splitlines(), [str(n) for n in range(3000)])

    def test_ports_resume(self):
        """Processes with an Output or Input are killed; a resumed run writes what is missing, and only that."""
        options = ["20", "--farm-inputs=1", "--farm-outputs=2,0", "--farm-journal", str(self.folder / "journal")]
        for victim, resume in (("2", []), ("1", ["--resume"])):
            before = self.size_of_outputs()
            farm = subprocess.Popen(self.command(3, 2000, 200, 10, *options, *resume), env=ENVIRONMENT,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while farm.poll() is None and (self.size_of_outputs() < before + 400 or not list(self.folder.glob(f"out.{victim}.*"))):
                time.sleep(0.01)
            self.assertIsNone(farm.poll(), "ended before it was killed")
            for path in self.folder.glob(f"out.{victim}.*"):
                os.kill(int(path.name.split(".")[2]), signal.SIGKILL)
            self.assertNotEqual(farm.wait(timeout=TIMEOUT_S), 0)
            for path in self.folder.glob("out.*.*"):
                path.unlink()
        self.run_farm(3, 2000, 0, 10, *options, "--resume")
        self.check(40_000)

    def size_of_outputs(self):
        return sum(path.stat().st_size for path in self.folder.glob("out_*"))

    def test_wrong_tree(self):
        path = self.file("tree.toml", 'root = "top"\n[nodes.top]\nchildren = ["top"]\n')
        done = self.run_farm(0, 10, 0, 1, "--farm-tree", path, expect=3)
        self.assertIn(path + ":3: a cycle: 'top' is above this node already", done.stderr)

    def test_resume(self):
        """The server is killed at random moments and resumed; then every line is there once."""
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        journal = str(self.folder / "journal")
        wanted = int(os.environ.get("FARM_KILLS", "10"))
        count, kills = 2000 * wanted, 0
        while kills < wanted:
            before = self.out.stat().st_size if self.out.exists() else 0
            resume = ["--resume"] if kills else []
            farm = subprocess.Popen(self.command(0, count, 50, 1, "--farm-journal", journal, *resume), env=ENVIRONMENT,
                                    stderr=subprocess.DEVNULL)
            while farm.poll() is None and (not self.out.exists() or self.out.stat().st_size <= before):
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.1))
            farm.kill()
            self.assertEqual(farm.wait(), -signal.SIGKILL, f"seed {seed}: not killed at {kills}")
            kills += 1
        self.run_farm(0, count, 0, 1, "--farm-journal", journal, "--resume")
        self.check(count)
        done = self.run_farm(0, count, 0, 1, "--farm-journal", journal, "--resume")
        self.assertIn("farm: 0 tasks", done.stderr)
        print(f"killed {kills} times, seed {seed}", file=sys.stderr)

    def test_deaths(self):
        """Workers and relays of random trees are killed at random moments; nothing is lost, nothing comes twice."""
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        deaths, came_back, wanted = 0, 0, int(os.environ.get("FARM_DEATHS", "6"))
        while deaths < wanted:
            ranks = chance.randint(2, 16)
            spares = chance.choice((0, 3, 8))
            tree = self.random_tree(chance, ranks, spares)
            for old in self.folder.glob("out*"):
                old.unlink()
            stages, ports = self.stages_and_ports(chance, ranks)
            count = 2000 // int(stages[0]) if stages else 2000
            options = [f"--farm-{key}s={rank}" for key, rank in ports.items()]
            command = self.command(ranks + spares, count, 500, chance.choice((10, 2000)), *stages, *options, "--farm-tree", tree, "--farm-attempts=1000")
            command.insert(len(LAUNCHER), "--survive")
            farm = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
            while farm.poll() is None and not self.out.exists():
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.15))
            workers = [path.name.split(".")[1:] for path in self.folder.glob("out.*.*")]
            victims = [int(pid) for rank, pid in workers if int(rank) not in (0, *ports.values())]
            for pid in chance.sample(victims, chance.randint(0, max(0, len(victims) - 1))):
                try:
                    os.kill(pid, signal.SIGKILL)
                    deaths += 1
                except ProcessLookupError:
                    pass
                time.sleep(chance.uniform(0, 0.05))
            for place in {int(rank) for rank, pid in workers} - {0, *ports.values()} if spares and chance.random() < 0.5 else ():
                if self.kill(place, [int(pid) for _, pid in workers], seconds=0.03) is not None:  # one that came back
                    deaths += 1
            errors = farm.communicate(timeout=TIMEOUT_S)[1]
            self.assertIn("farm: 2000 tasks", errors, f"seed {seed}, after {deaths} deaths")
            came_back += int((re.findall(r"(\d+) came back", errors) or [0])[0])
            self.check(2000)
        print(f"killed {deaths}, {came_back} came back, seed {seed}", file=sys.stderr)

    def random_tree(self, chance, ranks, spares=0):
        children = {rank: [] for rank in range(ranks)}
        for rank in range(1, ranks):
            children[chance.randrange(rank)].append(f"n{rank}")
        nodes = [f"[nodes.n{rank}]\nthreads = 1\nchildren = {names}\n" for rank, names in children.items()]
        return self.file("tree.toml", f'spares = {spares}\nroot = "n0"\n' + "".join(nodes))

    def test_port_deaths(self):
        """Any process but the server is killed at random moments, those of Inputs and Outputs too: what is missing is said, and
        a resumed run makes it up."""
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        deaths, incomplete, wanted = 0, 0, int(os.environ.get("FARM_DEATHS", "6"))
        while deaths < wanted:
            for old in self.folder.glob("*"):
                old.unlink()
            ranks, count = chance.randint(3, 8), 1200
            inputs, outputs = (chance.sample(range(ranks), chance.randint(1, 3)) for _ in range(2))
            options = [f"--farm-inputs={','.join(map(str, inputs))}", f"--farm-outputs={','.join(map(str, outputs))}",
                       "--farm-tree", self.random_tree(chance, ranks), "--farm-attempts=1000", "--farm-journal", str(self.folder / "journal")]
            stages = ["40"] if chance.random() < 0.5 else []
            pieces = count // int(stages[0]) if stages else count
            size = chance.choice((10, 2000))
            command = self.command(ranks, pieces, 500, size, *stages, *options)
            command.insert(len(LAUNCHER), "--survive")
            farm = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
            while farm.poll() is None and not self.lines():
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.1))
            for place in chance.sample(range(1, ranks), chance.randint(1, min(3, ranks - 1))):
                deaths += self.kill(place, seconds=0.05) is not None
                time.sleep(chance.uniform(0, 0.03))
            errors = farm.communicate(timeout=TIMEOUT_S)[1]
            incomplete += farm.returncode == 4
            with self.subTest(seed=seed, deaths=deaths, errors=errors):
                self.check_shares(farm.returncode, errors, count, len(inputs), not stages)
                self.run_farm(ranks, pieces, 0, size, *stages, *options, "--resume")
                self.check(count)
        print(f"killed {deaths}, {incomplete} runs not complete, seed {seed}", file=sys.stderr)

    def check_shares(self, status, errors, count, inputs, whole):
        """Nothing is there twice, and nothing is missing but what the run said. `whole`: each piece is a line."""
        lines = self.lines()
        self.assertEqual(len(lines), len(set(lines)))
        if "where the last Output ran, is dead" in errors:
            return  # the status is of those that are left, if any
        self.assertEqual(status == 4, "; not complete" in errors)
        missing = set(range(count)) - set(map(int, lines))
        for index, came in re.findall(r"  share lost: Input (\d+) \(rank \d+\) died: (\d+) of its pieces came", errors):
            if whole:
                rest = set(range(int(index) + inputs * int(came), count, inputs))
                self.assertEqual(rest - missing, set())
                missing -= rest
            else:
                missing = set()
        lost = re.findall(r"  share lost: Input .* the data of (\d+) of them were lost", errors)
        lost += re.findall(r"  share lost: Output \d+ .* and (\d+) more were on their way to it", errors)
        self.assertLessEqual(len(missing), sum(map(int, lost)) + errors.count("  quarantine: task "))
        self.assertIn(status, (0, 4), errors)

    @staticmethod
    def stages_and_ports(chance, ranks):
        """Every other farm divides its pieces; every other has its Input or Output elsewhere."""
        return (["40"] if chance.random() < 0.5 else [],
                {key: chance.randrange(ranks) for key in ("input", "output") if chance.random() < 0.5})

    def test_replace(self):
        """A dead process is replaced by a new one, which takes part."""
        command = self.command(3, 3000, 1000, 10, "--farm-replace=1")
        command.insert(len(LAUNCHER), "--survive")
        farm = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while not list(self.folder.glob("out.2.*")):
            time.sleep(0.01)
        os.kill(int(next(self.folder.glob("out.2.*")).name.split(".")[2]), signal.SIGKILL)
        errors = farm.communicate(timeout=TIMEOUT_S)[1]
        self.assertIn("on 3 threads of 4 processes", errors)
        self.assertIn("1 processes died", errors)
        self.assertIn("  rank 3:", errors)
        self.check(3000)

    def start_killed(self, ranks, count, microseconds, *options):
        """A run under --survive, which is there once it writes."""
        command = self.command(ranks, count, microseconds, 10, *options)
        command.insert(len(LAUNCHER), "--survive")
        farm = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while farm.poll() is None and not self.out.exists():
            time.sleep(0.005)
        return farm

    def kill(self, place, since=(), seconds=60):
        """Who is in this place of the tree, which is none of those before; its process number, or nothing."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for path in self.folder.glob(f"out.{place}.*"):
                pid = int(path.name.split(".")[2])
                if pid in since:
                    continue
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    return None
                return pid
            time.sleep(0.002)
        return None

    def test_comeback(self):
        """A dead process comes back in its place: a spare calculates there, and what is below works for it."""
        tree = self.file("tree.toml", "spares = 1\n" + THREE_LEVELS)
        farm = self.start_killed(5, 3000, 1000, "--farm-tree", tree, "--farm-order=input")
        first = self.kill(1)
        errors = farm.communicate(timeout=TIMEOUT_S)[1]
        self.assertEqual(farm.returncode, 0, errors)
        self.assertEqual(self.out.read_text().splitlines(), [str(n) for n in range(3000)])
        self.assertIn("of 4 processes", errors)
        self.assertIn(", 1 processes died, 1 came back", errors)
        self.assertIn("  rank 1:", errors)
        self.assertEqual(len(list(self.folder.glob("out.1.*"))), 2, first)

    def test_given_up(self):
        """A place whose processes die again and again stays empty, with a sentence; so does one for which no spare is left."""
        for options, sentence, back in ((["--farm-spares=3", "--farm-restarts=1"], "2 processes died as node '", 1),
                                        (["--farm-spares=1"], "no spare is left for node '", 1)):
            with self.subTest(options=options):
                ranks = 3 + int(options[0][-1])
                farm = self.start_killed(ranks, 3000, 1000, *options)
                killed = [self.kill(2)]
                killed.append(self.kill(2, killed))
                errors = farm.communicate(timeout=TIMEOUT_S)[1]
                self.assertIn(sentence, errors)
                self.assertIn(f", 2 processes died, {back} came back", errors)
                self.assertEqual("  given up: node '" in errors, "--farm-restarts=1" in options, errors)
                self.check(3000)
                for old in self.folder.glob("out*"):
                    old.unlink()

    def test_spares_refused(self):
        """Where deaths are not survived spares are a sentence of every process, and no abort."""
        done = self.run_farm(3, 10, 0, 1, "--farm-spares=1", expect=None)
        if "mpich" in LAUNCHER[0]:  # which tells of a process that it ended itself (9, a fifth of the runs), or of its own end (1)
            self.assertNotEqual(done.returncode, 0, done.stderr)
        else:
            self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("farm: spares are of no use here, for the death of a process ends the whole job", done.stderr)
        self.assertNotIn("terminate called", done.stderr)

    def test_server_death(self):
        """The others end soon and say why; the journal has what was taken."""
        journal = ["--farm-journal", str(self.folder / "journal")]
        command = self.command(4, 3000, 1000, 10, "--farm-tree", self.file("tree.toml", THREE_LEVELS), *journal)
        command.insert(len(LAUNCHER), "--survive")
        farm = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while not self.out.exists() or self.out.stat().st_size < 100:
            time.sleep(0.01)
        os.kill(int(next(self.folder.glob("out.0.*")).name.split(".")[2]), signal.SIGKILL)
        self.assertIn("the process of Input and Output is dead", farm.communicate(timeout=20)[1])
        self.assertNotEqual(farm.returncode, 0)
        self.run_farm(2, 3000, 0, 10, *journal, "--resume")
        self.check(3000)

    def test_drain(self):
        journal = ["--farm-journal", str(self.folder / "journal")]
        farm = subprocess.Popen(self.command(0, 100_000, 1000, 1, *journal), env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while not self.out.exists() or self.out.stat().st_size < 100:
            time.sleep(0.02)
        farm.send_signal(signal.SIGTERM)
        self.assertIn("stopped early", farm.communicate(timeout=TIMEOUT_S)[1])
        self.assertEqual(farm.returncode, 2)
        taken = len(self.out.read_text().splitlines())
        self.run_farm(0, taken + 50, 0, 1, *journal, "--resume")
        self.check(taken + 50)

    def test_drain_of_many(self):
        """One process is asked to end; all finish what is under way."""
        journal = ["--farm-journal", str(self.folder / "journal")]
        farm = subprocess.Popen(self.command(3, 100_000, 1000, 1, *journal), env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while not self.out.exists() or self.out.stat().st_size < 100 or not list(self.folder.glob("out.2.*")):
            time.sleep(0.02)
        os.kill(int(next(self.folder.glob("out.2.*")).name.split(".")[2]), signal.SIGTERM)
        self.assertIn("stopped early", farm.communicate(timeout=TIMEOUT_S)[1])
        taken = len(self.out.read_text().splitlines())
        self.run_farm(2, taken + 50, 0, 1, *journal, "--resume")
        self.check(taken + 50)

    def test_join(self):
        """Two processes join a run of one."""
        farm = subprocess.Popen(self.command(1, 3000, 1000, 1), env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        while not self.out.exists() or self.out.stat().st_size < 100:
            time.sleep(0.02)
        server = int(next(self.folder.glob("out.0.*")).name.split(".")[2])
        for _ in range(2):
            os.kill(server, signal.SIGUSR1)
            time.sleep(0.1)
        errors = farm.communicate(timeout=TIMEOUT_S)[1]
        self.assertIn("on 3 threads of 3 processes", errors)
        self.assertIn("  rank 2:", errors)
        self.check(3000)

    def run_ill(self, ranks, count, ill, *options, survive=False):
        """A run whose functions fail by FARM_ILL; its end, whatever that is, comes in time."""
        command = self.command(ranks, count, 1000, 1, "--farm-stragglers-twice=off", *options)
        if survive:
            command.insert(len(LAUNCHER), "--survive")
        return subprocess.run(command, env={**ENVIRONMENT, "FARM_ILL": ill}, capture_output=True, text=True, timeout=TIMEOUT_S)

    def test_exit(self):
        """exit() in one of the functions ends the job, as another death does, and never waits for the others."""
        for ill in ("calculate:exit7:30", "output:exit7:30"):
            with self.subTest(ill=ill):
                done = self.run_ill(3, 100, ill)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("exit() was called while the farm ran", done.stderr)

    def test_exit_survived(self):
        """exit() in Calculate is one more death of its process."""
        for how in ("exit0", "exit7"):
            with self.subTest(how=how):
                done = self.run_ill(3, 100, f"calculate:{how}:30", "--farm-attempts=1", "--farm-threads=-1", survive=True)
                self.assertIn("farm: 99 tasks", done.stderr)
                self.assertIn("quarantine: task 30", done.stderr)
                self.assertEqual(done.returncode, 1)
                self.out.unlink()

    def test_hang(self):
        """A task that never returns is tried again and set aside; the run ends, and so do its processes."""
        for ranks in (0, 3):
            with self.subTest(ranks=ranks):
                done = self.run_ill(ranks, 100, "calculate:hang:30", "--farm-task-limit=1", "--farm-attempts=2")
                self.assertIn("farm: 99 tasks", done.stderr)
                self.assertIn("quarantine: task 30 failed 2 times, last: took longer than 1 s", done.stderr)
                self.assertIn("threads left behind", done.stderr)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.out.unlink()

    def star(self, ranks, threads):
        """A server that does not calculate, and the others below it."""
        names = [f"n{rank}" for rank in range(1, ranks)]
        nodes = [f"[nodes.{name}]\nthreads = {threads}\n" for name in names]
        return self.file("star.toml", f'root = "server"\n[nodes.server]\nthreads = 0\nchildren = {names}\n' + "".join(nodes))

    def test_poison(self):
        """Two tasks that kill their process cost as many processes as they have attempts, and never the server's."""
        for options in (["--farm-threads=-1"], ["--farm-tree", self.star(8, 3)], ["--farm-tree", self.star(8, 3), "--farm-attempts=2"]):
            with self.subTest(options=options):
                done = self.run_ill(8, 200, "calculate:kill:30,31", *options, survive=True)
                wanted = 4 if "--farm-attempts=2" in options else 6
                self.assertIn(f", {wanted} processes died", done.stderr)
                self.assertIn("farm: 198 tasks", done.stderr)
                for task in (30, 31):
                    self.assertIn(f"quarantine: task {task} failed {wanted // 2} times, last: the process that calculated it died", done.stderr)
                self.assertEqual(done.returncode, 1)
                self.out.unlink()

    def test_poison_at_once(self):
        """The first task kills its process, while others have not left the beginning of the farm: they do not die of it."""
        for _ in range(int(os.environ.get("FARM_DEATHS", "6"))):
            done = self.run_ill(12, 40, "calculate:kill:0", "--farm-tree", self.star(12, 1), survive=True)
            self.assertIn(", 3 processes died", done.stderr)
            self.assertIn("farm: 39 tasks", done.stderr)
            self.out.unlink()

    def test_nobody_left(self):
        """All that calculate die. A server that may calculate does the rest, but for what killed; another one ends with a sentence."""
        done = self.run_ill(2, 200, "calculate:kill:30", "--farm-threads=-1", survive=True)
        self.assertIn("farm: 199 tasks", done.stderr)
        self.assertIn("quarantine: task 30 failed 1 times, last: a process died while it calculated this task, and no other is left", done.stderr)
        self.assertEqual(done.returncode, 1)
        self.out.unlink()
        done = self.run_ill(3, 200, "calculate:kill:30,31", "--farm-tree", self.star(3, 1), survive=True)
        self.assertIn("nobody is left to calculate: 2 processes died", done.stderr)

    def test_failure_survived(self):
        """A run that fails in the server's process has failed for the others too, or the job would end with success."""
        done = self.run_ill(3, 100, "output:throw:30", survive=True)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_wrong_option(self):
        for wrong in ("--farm-thread=1", "--farm-order=up", "--resume"):
            with self.subTest(wrong=wrong):
                done = self.run_farm(0, 10, 0, 1, wrong, expect=64)
                self.assertIn("usage: ", done.stderr)
                self.assertNotIn("terminate", done.stderr)

    def test_resume_of_less(self):
        """A file that was shortened or removed is not filled up; pieces that are not given any more are told."""
        journal = ["--farm-journal", str(self.folder / "journal")]
        self.run_farm(0, 100, 0, 1, *journal)
        whole = self.out.read_bytes()
        for left in (whole[:50], None):
            self.out.unlink()
            if left is not None:
                self.out.write_bytes(left)
            done = self.run_farm(0, 110, 0, 1, *journal, "--resume", expect=3)
            self.assertIn(f"it has {len(left or b'')} bytes, and had {len(whole)}", done.stderr)
            self.assertEqual(self.out.read_bytes(), left or b"")
        self.out.write_bytes(whole)
        done = self.run_farm(0, 60, 0, 1, *journal, "--resume")
        self.assertIn("the results of 40 pieces that Input did not give", done.stderr)
        self.assertEqual(self.out.read_bytes(), whole)

    def test_journal_in_use_is_kept(self):
        journal = ["--farm-journal", str(self.folder / "journal")]
        self.run_farm(0, 10, 0, 1, *journal)
        done = self.run_farm(0, 10, 0, 1, *journal, expect=3)
        self.assertIn("--resume goes on with it", done.stderr)


if __name__ == "__main__":
    suite = unittest.TestSuite(Farm("test_" + case) for case in CASES)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
