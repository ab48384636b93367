# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What test hosts are wanted: a value that travels from `Hosts` to the keeper as JSON."""
import json
from dataclasses import asdict, dataclass, field


class HostsRefused(RuntimeError):
    """This machine does not make hosts; the text says what is missing."""


@dataclass
class Plan:
    count: int = 2
    networks: int = 1            # eth0, eth1, ... of each host
    families: tuple = (4, 6)     # of IP
    twins: bool = False          # each host has a bridge docker0 with the same address as all the others
    hostnames: dict = field(default_factory=dict)  # host -> what gethostname() says, where it is not the host's name
    mtu: int = 1500              # of the hosts' cards
    switch_mtu: int = 1500       # of the switch; it drops packets that are longer, and tells nobody
    limit_s: int = 3600          # then all hosts end by themselves

    @property
    def names(self):
        return [f"h{number}" for number in range(1, self.count + 1)]

    def hostname(self, host):
        return self.hostnames.get(host, host)

    def addresses(self, host, network=0):
        """The addresses of a host's card in a network."""
        number = self.names.index(host) + 1
        all_families = {4: f"10.{77 + network}.0.{number}", 6: f"fd{77 + network}::{number:x}"}
        return [all_families[family] for family in self.families]

    def hosts_file(self, own):
        """/etc/hosts of a host, as Debian has it: the own name is a loopback address as well."""
        lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost ip6-loopback", f"127.0.1.1 {self.hostname(own)}"]
        lines += [f"{address} {host}" for host in self.names for address in self.addresses(host)]
        return "\n".join(lines) + "\n"

    def to_json(self):
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text):
        return Plan(**json.loads(text))
