#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Stars and trees of up to 10,000 nodes, by what a relay's thread was measured to cost.

usage: bench/farm/simulate.py [--message-us M] [--task-us T] [--latency-us L] [--threads K]

Each process has one relay thread. Whenever it is free it takes all messages that have come, each for --message-us and each
task in them for --task-us, then sends one message to each neighbour for whom it has something. A child may hold twice the
threads of its subtree. A node's threads calculate tasks of equal length. Prints the efficiency: the share of the time in which
a thread calculates, once all are busy.
"""
import argparse
import collections
import heapq


class Node:
    def __init__(self, parent, threads):
        self.parent, self.threads, self.children = parent, threads, []
        self.inbox = collections.deque()  # (kind, child index, count)
        self.ready = self.idle = self.done = self.held = 0
        self.awake = False
        self.subtree = threads


class Simulation:
    def __init__(self, nodes, fanout, arguments, task_us):
        self.a, self.task_us = arguments, task_us
        self.events, self.sequence, self.now = [], 0, 0.0
        self.nodes = [Node(None, 0)]
        for index in range(1, nodes + 1):
            parent = self.nodes[(index - 1) // fanout]
            node = Node(parent, arguments.threads)
            parent.children.append(node)
            self.nodes.append(node)
        for node in reversed(self.nodes[1:]):
            node.parent.subtree += node.subtree
        for node in self.nodes:
            node.idle = node.threads
        self.warm = self.end = self.busy = 0.0

    def at(self, time, action, *arguments):
        self.sequence += 1
        heapq.heappush(self.events, (time, self.sequence, action, arguments))

    def deliver(self, node, kind, child, count):
        node.inbox.append((kind, child, count))
        self.wake(node)

    def wake(self, node):
        if not node.awake:
            node.awake = True
            self.at(self.now, self.turn, node)

    def turn(self, node):
        """One round of a relay: all that has come, then all that can go."""
        cost = 0.0
        while node.inbox:
            kind, child, count = node.inbox.popleft()
            if kind != "local":
                cost += self.a.message_us + count * self.a.task_us
            if kind == "tasks":
                node.ready += count
            elif kind == "results":
                child.held -= count
                node.done += count
            else:
                node.done += count
        started = min(node.idle, node.ready)
        node.idle -= started
        node.ready -= started
        if started:
            begun = self.now + cost
            ended = begun + self.task_us
            self.busy += started * max(0.0, min(ended, self.end) - max(begun, self.warm))
            self.at(ended, self.calculated, node, started)
        root = node.parent is None
        for child in node.children:
            room = 2 * child.subtree - child.held
            given = room if root else min(room, node.ready)
            if given * 4 < child.subtree and child.held > child.subtree:
                continue
            if given > 0:
                child.held += given
                node.ready -= 0 if root else given
                cost += self.a.message_us + given * self.a.task_us
                self.at(self.now + cost + self.a.latency_us, self.deliver, child, "tasks", None, given)
        if root:
            node.done = 0
        elif node.done:
            cost += self.a.message_us + node.done * self.a.task_us
            self.at(self.now + cost + self.a.latency_us, self.deliver, node.parent, "results", node, node.done)
            node.done = 0
        self.at(self.now + max(cost, 0.01), self.rest, node)

    def rest(self, node):
        node.awake = False
        if node.inbox or (node.idle and node.ready):
            self.wake(node)

    def calculated(self, node, count):
        node.idle += count
        self.deliver(node, "local", None, count)

    def efficiency(self):
        self.wake(self.nodes[0])
        fill = 2 * self.nodes[0].subtree * self.a.task_us  # what the root takes to give everybody something
        self.warm = 4 * (self.task_us + fill)
        self.end = self.warm + 6 * self.task_us + 4 * fill
        while self.events and self.now < self.end:
            self.now, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
        return self.busy / (self.nodes[0].subtree * (self.end - self.warm))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--message-us", type=float, default=5.0)
    parser.add_argument("--task-us", type=float, default=0.5)
    parser.add_argument("--latency-us", type=float, default=20.0)
    parser.add_argument("--threads", type=int, default=16)
    arguments = parser.parse_args()
    print("| nodes | task | star | fanout 16 | fanout 64 |\n|---|---|---|---|---|")
    for nodes in (100, 1000, 10000):
        for task_us in (10_000, 100_000, 1_000_000):
            row = [Simulation(nodes, fanout, arguments, task_us).efficiency() for fanout in (nodes, 16, 64)]
            print(f"| {nodes:,} | {task_us // 1000} ms | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)


if __name__ == "__main__":
    main()
