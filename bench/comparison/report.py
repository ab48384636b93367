# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables: as text for the terminal, as the Markdown page, and as data."""
import os
import platform
import re
import time

from . import pairs, targets

COLUMNS = ["figure", "bytes", "unit", "Starling", "Open MPI", "MPICH", "ratio", "target", "met", "pairs"]
RANGE_COLUMNS = ["least to largest", "bytes", "Starling", "Open MPI", "MPICH"]
SOCKET_SIZES = (8, 65536, 1048576)
LIBRARY_KEYS = ["starling", "openmpi", "mpich"]


def wanted_of(group, key):
    if group.hosts > 1:
        return targets.over_hosts(key[0], group.ranks, key[1], group.yielding)
    return targets.beside_others() if group.computing else targets.of(key[0], group.ranks, key[1])


def judge(results):
    """Verdicts by (group name, figure key). Where Starling failed, its targets are missed."""
    by_name = {r.group.name: r for r in results}
    verdicts = {}
    for result in results:
        two_ranks = by_name.get(f"{result.group.title or result.group.program}-2")
        for key in result.keys():
            figures = {library: result.median(library, key) for library in LIBRARY_KEYS}
            own_two_ranks = two_ranks.median("starling", key) if two_ranks else None
            wanted = wanted_of(result.group, key)
            if figures["starling"] is None and result.failures.get("starling"):
                verdicts[(result.group.name, key)] = [targets.Verdict(t, None, False) for t in wanted]
            else:
                verdicts[(result.group.name, key)] = [
                    targets.judge(t, figures, result.control_ns(), own_two_ranks, result.socket_us(key[1])) for t in wanted]
    return verdicts


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def figure_text(figure):
    """A run that did not end counts as its time limit."""
    return f"no end: {number(figure.value)}" if figure.at_limit else number(figure.value)


def met_text(verdicts):
    words = {True: "yes", False: "no", None: "?"}
    return ", ".join(words[v.met] for v in verdicts) or "-"


def pairs_text(pairing):
    """The interval of the pairs' ratios; above 1 Starling is slower."""
    if pairing is None or pairing.low is None:
        return "-"
    return f"{pairing.low:.2f} to {pairing.high:.2f}" + (", behind" if pairing.behind else "")


def target_text(verdict, sample):
    text = verdict.target.text(sample.more_is_better, sample.unit)
    if verdict.target.against == "better" or verdict.ratio is None or verdict.target.against == "absolute":
        return text
    return f"{text} ({verdict.ratio:.2f})"


def row(result, key, verdicts):
    figures = {library: result.median(library, key) for library in LIBRARY_KEYS}
    sample = next(f for f in figures.values() if f is not None)
    better = targets.better_peer(figures)
    own = figures["starling"]
    comparable = own and better and better.value and sample.unit != "x"  # a library's operation beside its own others
    ratio = f"{own.value / better.value:.2f}" if comparable else "-"
    cells = [figure_text(figures[library]) if figures[library] else
             ("failed" if result.failures.get(library) else "-") for library in LIBRARY_KEYS]
    wanted = "; ".join(target_text(v, sample) for v in verdicts) or "-"
    return [key[0], str(key[1]), sample.unit, *cells, ratio, wanted, met_text(verdicts),
            pairs_text(pairs.pair(result, key))]


def rows(result, verdicts):
    return [row(result, key, verdicts[(result.group.name, key)]) for key in result.keys()]


def ranges(result):
    """The least and the largest repetition of all runs, of each library: a row for each figure."""
    found = []
    for key in result.keys():
        figures = [result.median(library, key) for library in LIBRARY_KEYS]
        found.append([key[0], str(key[1]), *[f"{number(f.low)} to {number(f.high)}" if f else "-" for f in figures]])
    return found


def heading(workbench, result):
    if result.group.hosts > 1:
        return heading_over_hosts(workbench, result)
    return f"{result.group.name}: {result.group.ranks} ranks; {cores_text(result)}; runs used: {runs_text(workbench, result)}"


def heading_over_hosts(workbench, result):
    sockets = ", ".join(f"{size} B {number(result.socket_us(size))} us" for size in SOCKET_SIZES)
    return (f"{result.group.name}: {result.group.ranks} ranks on {result.group.hosts} hosts; {cores_text(result)}; plain sockets "
            f"between the hosts: {sockets}; runs used: {runs_text(workbench, result)}")


def cores_text(result):
    control = result.control_ns()
    bare = "no control" if control is None else f"cache line {control:.0f} ns one way, {2 * control:.0f} ns round trip"
    return f"{result.placement} cores, {bare}"


def runs_text(workbench, result):
    runs = ", ".join(f"{library.title} {len(result.chosen(library.key))} of {len(result.samples[library.key])}"
                     for library in workbench.libraries)
    busy = result.busy_runs()
    return runs + (f"; WARNING: other work disturbed {busy} of these runs" if busy else "")


def group_text(workbench, result, verdicts):
    table = [COLUMNS, *rows(result, verdicts)]
    widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in table]
    return "\n".join(["", heading(workbench, result), *lines])


def summary(verdicts):
    flat = [v for vs in verdicts.values() for v in vs]
    met = sum(v.met is True for v in flat)
    missed = sum(v.met is False for v in flat)
    unknown = len(flat) - met - missed
    text = f"\ntargets: {met} met, {missed} missed"
    return text + (f", {unknown} not judged (something to compare with is missing)" if unknown else "")


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "memory_gib": round(memory_gib, 1),
            "kernel": platform.release(), "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}


def shown(command, root):
    """The command line, with the folder of this checkout left out, and without what enters a test host and its folder."""
    text = re.sub(r"^nsenter .*? -- ", "", " ".join(command))
    return re.sub(r"\S*/test-hosts-[^/ ]*/", "$TEST_HOSTS/", text).replace(root + "/", "")


def is_real_time():
    """Whether this process, and so what it starts, runs at real-time priority."""
    return os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)


def load():
    return " ".join(f"{average:.1f}" for average in os.getloadavg())


METHOD = """Every library runs the same C sources (bench/mpi, bench/collective), compiled with its own wrapper at -O2. In each
round the libraries run one after the other; a figure is the median over the rounds of the median over the repetitions
inside each run. Before and after each run the control measures the bare transfer of a cache line between the two cores;
runs are classed sibling (round trip under 70 ns: two threads of one core), near (under 180 ns) or far, runs during which
the class changed are dropped, and a table holds runs of one class only. Groups over hosts run between network namespaces that a bridge joins, beside plain sockets on
the same path under the same congestion control; a run that does not end counts as its time limit. The ratio is Starling's figure divided by that of the better peer. Groups that are
compared row by row run in at least nine rounds; "pairs" is the 95 % interval (order statistics) of the median ratio of
runs that alternate, above 1 where Starling is slower. A row is behind when its interval lies above 1.05 and it is more
than 20 ns slower; a collective without data is when it is more than 20 ns slower. Geometric means leave those out.
Beside the runs of the groups "busy" two programs compute in the same session."""


METHOD_OVER_HOSTS = """Every library runs the same C sources (bench/mpi, bench/collective), compiled with its own wrapper at -O2, between
network namespaces that a bridge joins ([how](../howto/benchmarks.md#over-hosts)). In each round the libraries run one
after the other, plain sockets on the same path before and after each run; a figure is the median over the rounds of the
median over the repetitions inside each run, and a second table has the least and the largest repetition. Before and after
each run and each measurement of the sockets the transfer of a cache line between the two cores is measured; runs are
classed sibling (round trip under 70 ns: two threads of one core), near (under 180 ns) or far, runs during which the class
changed are dropped, and a table holds runs of one class only, for between far cores plain sockets take four times as long
for 1 MiB as between near ones. A run that does not end counts as its time limit. The ratio is Starling's figure divided
by that of the better peer."""


def table(columns, lines):
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns), *["| " + " | ".join(line) + " |" for line in lines]]


# What a page has from the first of these headings on was not measured by bench/compare, and stays when it is written again.
BESIDE = "## Measured otherwise"
LEVELS_SECTION = "## Levels against flat algorithms"


def without_levels(page):
    """The page without the section that bench/levels writes, which is the last."""
    return page.partition(LEVELS_SECTION)[0]


def beside(page):
    """The part of a page that bench/compare does not write."""
    places = [page.index(heading) for heading in (BESIDE, LEVELS_SECTION) if heading in page]
    return page[min(places):] if places else ""


def title_of(results):
    """The title of the page, and how it was made."""
    hosts = {result.group.hosts for result in results}
    if hosts == {4}:
        return ["# Performance over four hosts", "", "Written by `bench/compare --only '^four_hosts_'`; do not edit."]
    if 1 not in hosts:
        return ["# Performance over two hosts", "",
                f"Written by `bench/compare --only '^hosts_'`; do not edit what comes before '{BESIDE[3:]}'."]
    return ["# Performance", "", "Written by `bench/compare`; do not edit."]


def markdown(workbench, results, verdicts, arguments, load_before, facts=None, loads=()):
    """facts, loads: of earlier runs that are put together."""
    load_text = ", ".join(loads) if loads else f"{load_before} before, {load()} after"
    facts = facts or machine()
    over_hosts = all(result.group.hosts > 1 for result in results)
    lines = ["<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->", "<!-- SPDX-License-Identifier: BSD-3-Clause -->",
             *title_of(results),
             "",
             f"- machine: {facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, Linux {facts['kernel']}",
             f"- date: {facts['date']}" + ("" if loads else f"; rounds: {arguments.rounds}") + ("; quick" if arguments.quick else "")
             + ("; real-time priority" if arguments.fifo or is_real_time() else ""),
             f"- load of the machine in the last 1, 5 and 15 minutes: {load_text}"]
    lines += [f"- {library.title}: {workbench.versions[library.key]}" for library in workbench.libraries]
    lines += [f"- compiler: {workbench.versions['compiler']}"]
    lines += [f"- {summary(verdicts).strip()}", ""]
    if text := pairs.summary(results):
        lines += ["```", text, "```", ""]
    lines += ["## Method", "", METHOD_OVER_HOSTS if over_hosts else METHOD]
    for result in results:
        lines += ["", f"## {result.group.name}", "", heading(workbench, result) + ".", ""]
        lines += table(COLUMNS, rows(result, verdicts))
        if result.group.hosts > 1:
            lines += ["", *table(RANGE_COLUMNS, ranges(result))]
        lines += ["", "```", *[shown(c, workbench.root) for c in result.commands.values()], "```"]
    return "\n".join(lines) + "\n"


def as_data(workbench, results, verdicts, arguments, load_before):
    def sample_data(sample):
        return {"control_ns": sample.control_ns, "placement": sample.placement, "busy": sample.busy, "number": sample.number,
                "figures": figures_data(sample.figures)}

    def figures_data(figures):
        return [[*key, f.value, f.unit, f.low, f.high, f.at_limit] for key, f in figures.items()]

    def verdict_data(name):
        return [{"figure": key[1][0], "bytes": key[1][1], "against": v.target.against, "limit": v.target.limit,
                 "ratio": v.ratio, "met": v.met} for key, vs in verdicts.items() if key[0] == name for v in vs]

    return {"machine": machine(), "loads": [load_before, load()], "real_time": bool(arguments.fifo or is_real_time()), "rounds": arguments.rounds, "quick": arguments.quick, "versions": workbench.versions,
            "groups": [{"name": r.group.name, "ranks": r.group.ranks, "placement": r.placement,
                        "commands": {k: shown(c, workbench.root) for k, c in r.commands.items()},
                        "failures": r.failures, "sockets": [sample_data(s) for s in r.sockets],
                        "sockets_us": {size: r.socket_us(size) for size in SOCKET_SIZES}, "verdicts": verdict_data(r.group.name),
                        "samples": {k: [sample_data(s) for s in v] for k, v in r.samples.items()}} for r in results]}
