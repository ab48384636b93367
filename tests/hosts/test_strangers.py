# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A third host that has no part in the job calls at its ranks' doors, while messages pass."""
import os
import random
import re
import socket
import subprocess
import sys
import tempfile

from hosts_support import PROBE, HostsTest, Job, main

CONNECTED, LISTENING = "01", "0A"
PLACES = 64  # of a rank, for those that call and have not said who they are
# Calls each door 200 times, says nothing, and stays.
HOLDER = """
import socket, sys
held = []
for host, port in list(zip(sys.argv[1::2], map(int, sys.argv[2::2]))) * 200:
    held.append(socket.create_connection((host, port), 20))
print("held", flush=True)
input()
"""
HERE = os.path.dirname(os.path.abspath(__file__))


def address_of(hexadecimal):
    """As /proc/net/tcp writes it: words of the machine's byte order."""
    words = [bytes.fromhex(hexadecimal[i:i + 8])[::-1] for i in range(0, len(hexadecimal), 8)]
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, b"".join(words))


class Strangers(HostsTest):
    wishes = {"count": 3}

    def sockets(self, host):
        """Own address, own port and state of each one of TCP."""
        found = []
        for table in ("tcp", "tcp6"):
            with open(f"/proc/{self.hosts.first_processes[host]}/net/{table}", encoding="utf-8") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            found += [(address_of(row[1].split(":")[0]), int(row[1].split(":")[1], 16), row[3]) for row in rows]
        return found

    def doors(self, host):
        """Where processes of the host listen."""
        return [(address, port) for address, port, state in self.sockets(host) if state == LISTENING]

    def start(self, *probe, environment=None):
        job = Job(self.hosts, *self.two_each, PROBE, *probe, environment=environment)
        job.wait_until_ready()
        return job

    def test_ranks_listen_at_chosen_addresses_and_within_the_ports_that_were_allowed(self):
        job = self.start("wait", "1", environment={"STARLING_NET_PORTS": "42000-42031"})
        doors = {host: self.doors(host) for host in self.hosts.names}
        job.finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(doors.pop("h3"), [])
        for host, found in doors.items():
            self.assertNotEqual(found, [])
            for address, port in found:
                self.assertIn(address, self.hosts.plan.addresses(host))
                self.assertIn(port, range(42000, 42032))

    def test_strangers_change_nothing_and_learn_nothing(self):
        seed = int(os.environ.get("STARLING_TEST_SEED", random.randrange(1 << 30)))
        job = self.start("exchange", "4")
        doors = [str(word) for host in ("h1", "h2") for door in self.doors(host) for word in door]
        strangers = [self.hosts.start("h3", sys.executable, os.path.join(HERE, "stranger.py"), str(seed + number), "3", *doors)
                     for number in range(3)]
        told = [stranger.communicate(timeout=60)[0] for stranger in strangers]
        job.finish()
        with self.subTest(seed=seed):
            self.assertEqual(job.code, 0, job.err)
            self.assertRegex(job.out, r"exchanged \d+ rounds")
            for text in told:
                calls, _, learnt = re.match(r"(\d+) calls, (\d+) refused, told (\d+) bytes", text).groups()
                self.assertGreater(int(calls), 3, text)
                self.assertEqual(learnt, "0", text)

    def test_strangers_who_call_while_a_job_starts_change_nothing(self):
        ports = [str(port) for port in range(42000, 42032)]
        doors = [word for host in ("h1", "h2") for address in self.hosts.plan.addresses(host) for port in ports
                 for word in (address, port)]
        strangers = [self.hosts.start("h3", sys.executable, os.path.join(HERE, "stranger.py"), str(number), "4", *doors)
                     for number in range(3)]
        for _ in range(3):
            job = self.succeeds(*self.two_each, PROBE, "exchange", "0.2", environment={"STARLING_NET_PORTS": "42000-42031"})
            self.assertIn("exchanged", job.out)
        for stranger in strangers:
            stranger.communicate(timeout=60)

    def callers(self, host):
        """How many are connected to each door."""
        sockets = self.sockets(host)
        return {door: sockets.count((*door, CONNECTED)) for door in self.doors(host)}

    def test_a_flood_of_calls_leaves_room_for_the_job(self):
        """More silent callers than a rank has places for stand at each door of a host; then ranks that have not met yet meet."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "meet")
            job = self.start("late", file, environment={"STARLING_NET_PORTS": "42000-42031"})
            ranks = [door for door in self.doors("h2") if door[1] < 42002]  # the next port is the agent's
            doors = [str(word) for door in ranks for word in door]
            holder = self.hosts.start("h3", sys.executable, "-c", HOLDER, *doors, stdin=subprocess.PIPE)
            self.assertEqual(holder.stdout.readline(), "held\n")
            waiting = {door: count for door, count in self.callers("h2").items() if door in ranks}
            with open(file, "w", encoding="utf-8"):
                pass
            job.finish()
        is_there = holder.poll() is None
        holder.communicate("\n", timeout=60)
        self.assertTrue(is_there, "the callers had left before the ranks met")
        self.assertGreater(min(waiting.values()), PLACES, waiting)
        self.assertEqual((job.out, job.code), ("ready\nmet\n", 0), job.err)
        # They were in front of the ranks, which had to wait for each one's place.
        sent_away = [int(number) for number in re.findall(r"has closed (\d+) connections", job.err)]
        self.assertGreater(max(sent_away), PLACES, job.err)


if __name__ == "__main__":
    main()
