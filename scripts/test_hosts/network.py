# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The networks of test hosts. Each network is a bridge in the keeper's namespace; the port of a host there is
<host>-eth<network>, and its other end is eth<network> of the host."""
import subprocess
import time

TWIN = "172.17.0.1/16"


def port(host, card):
    return f"{host}-{card}"


def line(verb, host, card):
    """The command of ip that does to the port of a card what the verb says, in the keeper's namespace."""
    number = card.removeprefix("eth")
    what = {"cut": "down", "mend": f"master net{number} up", "mute": "nomaster"}[verb]
    return f"link set {port(host, card)} {what}"


def ip(lines, inside_of=None):
    """Runs commands of ip, in the namespace of a process."""
    enter = ["nsenter", f"--target={inside_of}", "--net"] if inside_of else []
    done = subprocess.run([*enter, "ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ip refused to make the network: {done.stderr.strip()}")


def wait_until_up(card, inside_of, limit_s=10):
    """The kernel says up to a second after a cable is in, or later on a busy machine, that a card is running. One that its
    host has switched off is not waited for."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        done = subprocess.run(["nsenter", f"--target={inside_of}", "--net", "ip", "-o", "link", "show", "dev", card],
                              text=True, capture_output=True, check=False)
        flags = done.stdout.partition("<")[2].partition(">")[0].split(",")
        if "UP" not in flags or " state UP " in done.stdout:
            return
        time.sleep(0.02)
    raise RuntimeError(f"card {card} is not up {limit_s} s after its cable has been put in: {done.stdout.strip()}")


def host_lines(plan, host):
    lines = []
    for network in range(plan.networks):
        lines += [f"addr add {address}/{64 if ':' in address else 24} dev eth{network} {'nodad' if ':' in address else ''}"
                  for address in plan.addresses(host, network)]
        # Packets that the card would have to cut pass a virtual switch whatever their length.
        segments = "gso_max_segs 1" if plan.mtu > plan.switch_mtu else ""
        lines += [f"link set eth{network} mtu {plan.mtu} {segments} up"]
    if plan.twins:
        lines += ["link add docker0 type bridge", f"addr add {TWIN} dev docker0", "link set docker0 up"]
    return lines


def connect(plan, first_processes):
    """Called in the keeper's network namespace."""
    ip(["link set lo up"] + [line for network in range(plan.networks)
                             for line in (f"link add net{network} mtu {plan.switch_mtu} type bridge", f"link set net{network} up")])
    for host, process in first_processes.items():
        for network in range(plan.networks):
            card = f"eth{network}"
            ip([f"link add {port(host, card)} type veth peer name {card} netns {process}",
                f"link set {port(host, card)} mtu {plan.switch_mtu} master net{network} up"])
        ip(host_lines(plan, host), process)
    for process in first_processes.values():
        for network in range(plan.networks):
            wait_until_up(f"eth{network}", process)


def bytes_of(process, card):
    """Bytes received and sent by a card of the host in which the process is."""
    with open(f"/proc/{process}/net/dev", encoding="utf-8") as file:
        for line in file:
            name, _, numbers = line.partition(":")
            if name.strip() == card:
                return int(numbers.split()[0]), int(numbers.split()[8])
    raise KeyError(f"there is no card {card}")
