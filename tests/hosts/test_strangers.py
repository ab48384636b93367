# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A third host that has no part in the job calls at its ranks' doors, while messages pass."""
import os
import random
import re
import socket
import sys
import time

from hosts_support import PROBE, HostsTest, Job, main

LISTENING = "0A"
HERE = os.path.dirname(os.path.abspath(__file__))


def address_of(hexadecimal):
    """As /proc/net/tcp writes it: words of the machine's byte order."""
    words = [bytes.fromhex(hexadecimal[i:i + 8])[::-1] for i in range(0, len(hexadecimal), 8)]
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, b"".join(words))


class Strangers(HostsTest):
    wishes = {"count": 3}

    def doors(self, host):
        """Where processes of the host listen."""
        found = []
        for table in ("tcp", "tcp6"):
            with open(f"/proc/{self.hosts.first_processes[host]}/net/{table}", encoding="utf-8") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            found += [(address_of(row[1].split(":")[0]), int(row[1].split(":")[1], 16)) for row in rows if row[3] == LISTENING]
        return found

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

    def test_a_flood_of_calls_leaves_room_for_the_job(self):
        """More silent connections than a rank may hold; then ranks that have not met yet meet."""
        job = Job(self.hosts, *self.two_each, PROBE, "wait", "2", environment={"STARLING_NET_PORTS": "42000-42031"})
        job.wait_until_ready()
        hold = ("import socket, sys, time\nheld = []\nfor _ in range(300):\n"
                "  for host, port in zip(sys.argv[1::2], sys.argv[2::2]):\n"
                "    try: held.append(socket.create_connection((host, int(port)), 1))\n    except OSError: pass\n"
                "print(len(held), flush=True)\ntime.sleep(1)")
        doors = [str(word) for door in self.doors("h2") for word in door]
        holder = self.hosts.start("h3", sys.executable, "-c", hold, *doors)
        time.sleep(0.5)
        job.finish()
        holder.communicate(timeout=60)
        self.assertEqual(job.code, 0, job.err)


if __name__ == "__main__":
    main()
