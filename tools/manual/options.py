# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the commands say of their own options: 'starling COMMAND --list-options', the help of a compiler wrapper, and the table of
the farm. Pages and completions are made of it, so they name what the commands know."""
import dataclasses
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Option:
    names: tuple    # with their dashes
    values: str     # as the help names them, divided by blanks
    sentence: str
    choices: tuple = ()


@dataclasses.dataclass
class Command:
    words: str        # "starling trace summary"
    sentence: str     # what the list of commands says
    about: str = ""   # what its own help says
    options: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)  # (name, sentence)
    commands: list = dataclasses.field(default_factory=list)   # those below

    def all(self):
        yield self
        for command in self.commands:
            yield from command.all()


# run is mpiexec; an agent speaks with mpiexec, which starts it, over its standard streams.
_WITHOUT_OPTIONS = ("run", "agent")


class ListError(Exception):
    """A list that cannot be read."""


def _run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise ListError(f"{' '.join(map(str, words))} failed: {done.stderr}")
    return done.stdout


def _read(command, lines):
    """Adds what the lines say of a command and of those below it."""
    places = {command.words: command}
    for line in lines:
        words, what, names, values, sentence, choices = line.split("\t")
        place = places[words]
        if what == "about":
            place.about = sentence
        elif what == "option":
            sentence = sentence.replace("Print this help message and exit", "list the options")  # CLI11's own
            place.options.append(Option(tuple(re.split(", ?", names)), values, sentence, tuple(choices.split())))
        elif what == "argument":
            place.arguments.append((names, sentence))
        elif what == "command":
            places[f"{words} {names}"] = Command(f"{words} {names}", sentence)
            place.commands.append(places[f"{words} {names}"])
        else:
            raise ListError(f"'{what}' is no kind of line")
    return command


def of_mpiexec(mpiexec):
    return _read(Command("mpiexec", ""), _run(mpiexec, "--list-options").splitlines())


def of_starling(starling):
    top = _read(Command("starling", ""), _run(starling, "--list-options").splitlines())
    for command in top.commands:
        name = command.words.split()[1]
        if name not in _WITHOUT_OPTIONS:
            _read(command, _run(starling, name, "--list-options").splitlines())
    return top


def of_wrapper(wrapper):
    """From its help, whose lines are 'NAMES  SENTENCE'."""
    rows = re.findall(r"^  (-[^\s,]+(?:, -[^\s,]+)*)(?: +(.*))?$", _run(wrapper, "-help:mpi"), re.M)
    if len(rows) < 4:
        raise ListError(f"the help of {wrapper} has another form than this reads")
    options = [Option(tuple(names.split(", ")), "", re.sub("  +", " ", sentence) or "print that part of the command")
               for names, sentence in rows]
    return options + [Option(("-help:mpi",), "", "list these options")]


def of_farm(source):
    """The table in libs/farm/run/options.cpp: a program of the farm is none of ours."""
    text = re.sub(r'"\s*\n\s*"', "", (source / "libs/farm/run/options.cpp").read_text())
    table = re.search(r"const Entry kEntries\[\] = \{\n(.*?)\n\};\n", text, re.S)[1]
    rows = re.findall(r'^    \{"([\w-]+)", "([^"]+)", (?:"([^"]+)"|nullptr),', table, re.M)
    if not rows or len(rows) != len(re.findall(r"^    \{\"", table, re.M)):
        raise ListError("the table in libs/farm/run/options.cpp has another form than this reads")
    options = [Option((f"--farm-{name}",), value, sentence) for name, value, sentence in rows if sentence]
    resume = re.search(r'"(--resume,--farm-resume)".*?"([^"]+)"\)', text, re.S)
    return options + [Option(tuple(resume[1].split(",")), "", resume[2]), Option(("--farm-help",), "", "list these options")]
