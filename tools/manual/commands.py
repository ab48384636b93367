# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A manual page for each command: what the command itself says of its options, and the texts in pages/.

A text begins with 'names - summary' and has headings ('= TITLE'), paragraphs, items ('- tag :: words'), lines of code (four
blanks) and @WORDS@ that are replaced: @OPTIONS@ and @COMMANDS@ by items.
"""
from pathlib import Path

import options
import roff

TEXTS = Path(__file__).resolve().parent / "pages"
MANUAL = "Commands of Starling"


def _tag(option):
    return ", ".join(f"*{name}*" for name in option.names) + "".join(f" _{value}_" for value in option.values.split())


def _items(listed):
    return "".join(f"- {_tag(option)} :: {option.sentence}\n" for option in listed)


def _write(page, text):
    """The body of a page."""
    code = []
    for line in [*text.split("\n"), ""]:
        if line.startswith("    "):
            code.append(line)
            continue
        if code:
            page.code(code)
            code = []
        if line.startswith("= "):
            page.head(line[2:])
        elif line.startswith("- "):
            page.item(*line[2:].split(" :: ", 1))
        elif line:
            page.text(line)


def _page(name, section, version, text, **words):
    """Of a whole text."""
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    head, _, body = text.partition("\n")
    names, summary = head.split(" - ", 1)
    page = roff.Page(name, section, version, MANUAL)
    page.head("NAME")
    page.lines.append(f"{roff.escaped(names)} \\- {roff.escaped(summary)}")
    _write(page, body)
    return str(page)


def _text(name):
    path = TEXTS / f"{name}.txt"
    return path.read_text() if path.is_file() else ""


def _usage(command):
    words = f"*{command.words}*" + (" [_options_]" if command.options else "")
    return words + (" _command_ [_arguments_]" if command.commands else "") + "".join(f" [_{name}_]" for name, _ in command.arguments)


def _subcommand(command):
    """Synopsis and options of a command of starling, of those below it too."""
    text = f"{command.words.replace(' ', '-')} - {command.sentence}\n\n= SYNOPSIS\n"
    text += "\n\n".join(_usage(each) for each in command.all() if not each.commands)
    text += f"\n= DESCRIPTION\n{command.about or command.sentence[0].upper() + command.sentence[1:] + '.'}\n"
    for each in command.all():
        if each is not command:
            text += f"\n= {each.words.upper()}\n{each.about[0].upper()}{each.about[1:]}.\n"
        elif each.options or each.arguments:
            text += "\n= OPTIONS\n"
        text += "".join(f"- _{name}_ :: {sentence}\n" for name, sentence in each.arguments) + _items(each.options)
    return text + "\n" + _text(f"{command.words.replace(' ', '-')}.1") + "= SEE ALSO\n*starling*(1), *mpiexec*(1)\n"


WRAPPERS = {  # name: language, variable, suffix, other names
    "mpicc": ("C", "STARLING_CC", "c", ()),
    "mpicxx": ("C++", "STARLING_CXX", "cpp", ("mpic++", "mpiCC")),
    "mpifort": ("Fortran", "STARLING_FC", "f90", ("mpif90", "mpif77")),
}


def pages(bin_folder, source, version):
    """The text of each page by its file's name, below man/."""
    mpiexec = options.of_mpiexec(bin_folder / "mpiexec")
    starling = options.of_starling(bin_folder / "starling")
    made = {"man1/mpiexec.1": _page("mpiexec", 1, version, _text("mpiexec.1"), OPTIONS=_items(mpiexec.options))}
    for other in ("mpirun", "starling-run"):
        made[f"man1/{other}.1"] = roff.link("mpiexec", 1)
    listed = "".join(f"- *{command.words.split()[1]}* :: {command.sentence}\n" for command in starling.commands)
    made["man1/starling.1"] = _page("starling", 1, version, _text("starling.1"), COMMANDS=listed)
    for command in starling.commands:
        name = command.words.replace(" ", "-")
        if name != "starling-run":
            made[f"man1/{name}.1"] = _page(name, 1, version, _subcommand(command))
    for name, (language, variable, suffix, others) in WRAPPERS.items():
        if not (bin_folder / name).is_file():
            continue
        made[f"man1/{name}.1"] = _page(name, 1, version, _text("wrapper.1"), NAMES=", ".join([name, *others]), NAME=name, LANGUAGE=language,
                                       VARIABLE=variable, TONGUE=variable.removeprefix("STARLING_"), SUFFIX=suffix,
                                       OPTIONS=_items(options.of_wrapper(bin_folder / name)))
        made |= {f"man1/{other}.1": roff.link(name, 1) for other in others}
    made["man7/starling-farm.7"] = _page("starling-farm", 7, version, _text("starling-farm.7"), OPTIONS=_items(options.of_farm(source)))
    return made
