# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses rings inside a component, a library or a tool: of its folders (the files directly in it are one, named after it),
and of its units, where x.hpp and x.cpp are one: headers may be free of cycles while two classes still know each other."""
from house.tree import HEADERS

AREAS = ("src", "libs", "tools")


def check(tree):
    for area in AREAS:
        for top in tree.folders(area):
            check_component(tree, area, top)


def check_component(tree, area, top):
    folders, units = {}, {}
    for path in tree.files(str(top.relative_to(tree.root))):
        for number, name, _ in tree.includes(path):
            target = tree.resolve(name, path.parent, top, tree.root / area)
            if target is None or tree.parts[target][:2] != tree.parts[path][:2] or target.suffix not in HEADERS:
                continue
            connect(folders, str(path.parent.relative_to(top.parent)), str(target.parent.relative_to(top.parent)), path, number)
            connect(units, unit(path, top), unit(target, top), path, number)
    where = top.relative_to(tree.root)
    report(tree, where, folders, "folders")
    report(tree, where, units, "files")


def connect(graph, source, target, path, number):
    if source != target:
        graph.setdefault(source, {}).setdefault(target, (path, number))


def unit(path, top):
    return str(path.with_suffix("").relative_to(top))


def report(tree, where, graph, what):
    for ring in rings(graph):
        if tree.excepted_if("ring", lambda known, ring=ring: known.startswith(f"{where}: ") and ring <= set(known.split()[1:])):
            continue
        # One violation a ring: at an include that is part of it.
        trail = shortest(graph, ring)
        path, number = graph[trail[0]][trail[1]]
        more = f" (the ring has {len(ring)}: {' '.join(sorted(ring))})" if len(ring) > len(trail) - 1 else ""
        tree.refuse(path, number, f"ring of {what} in {where}: {' -> '.join(trail)}{more}; "
                                  "move what they share below both, or hand a callback down")


def rings(graph):
    """Sets of nodes that all reach each other."""
    reach = {node: reachable(graph, node) for node in graph}
    left = set(graph)
    while left:
        node = min(left)
        ring = {other for other in reach[node] if node in reach.get(other, ())}
        left -= ring | {node}
        if ring:
            yield ring


def reachable(graph, start):
    seen, front = set(), [start]
    while front:
        for node in graph.get(front.pop(), ()):
            if node not in seen:
                seen.add(node)
                front.append(node)
    return seen


def shortest(graph, ring):
    """A shortest way around within a ring, its first node again at the end."""
    best = None
    for start in sorted(ring):
        ways = [[start]]
        while ways and (best is None or len(ways[0]) < len(best) - 1):
            way = ways.pop(0)
            for node in sorted(graph.get(way[-1], ())):
                if node == start:
                    best = [*way, node]
                    ways = []
                    break
                if node in ring and node not in way:
                    ways.append([*way, node])
    return best
