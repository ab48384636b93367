#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Puts what a package has outside of Starling's tree where Debian looks for it: commands with the suffix .starling, manual pages,
completions, files for CMake and pkg-config, the licence and what has changed.

usage: stage.py COMPONENT STAGED_TREE TREE SOURCE_FOLDER
  TREE  the folder of Starling below /usr, which ends the path of the staged one
"""
import gzip
import os
import re
import shutil
import sys
from pathlib import Path

SUFFIX = ".starling"


def packed(path, text):
    """A file as Debian keeps manual pages, alike with each build."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped:
        zipped.write(text.encode())


def page_name(folder, name):
    """Beside the pages of other MPIs: MPI_Send.3starling, mpicc.starling.1."""
    stem, section = name.rsplit(".", 1)
    if folder == "man3":
        return f"{stem}.3starling"
    return f"{stem}{SUFFIX}.{section}" if stem.startswith("mpi") else name


def move_pages(usr, tree):
    for page in sorted((usr / tree / "share/man").glob("man*/*")):
        text = re.sub(r"^\.so (man\d)/(\S+)$", lambda found: f".so {found[1]}/{page_name(found[1], found[2])}",
                      page.read_text(), flags=re.M)
        packed(usr / "share/man" / page.parent.name / f"{page_name(page.parent.name, page.name)}.gz", text)
    shutil.rmtree(usr / tree / "share/man", ignore_errors=True)


def link_commands(usr, tree):
    for command in sorted((usr / tree / "bin").glob("*")):
        link = usr / "bin" / (command.name + SUFFIX if command.name.startswith("mpi") else command.name)
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(os.path.relpath(command, link.parent))


def move_completions(usr, tree):
    """Not under the names of mpiexec and mpirun, which may be another MPI's."""
    share = usr / tree / "share"
    for name in ("starling", "mpiexec.starling", "mpirun.starling"):
        target = usr / "share/bash-completion/completions" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(share / "bash-completion/completions" / name, target)
    target = usr / "share/zsh/vendor-completions/_starling"
    target.parent.mkdir(parents=True)
    text = (share / "zsh/site-functions/_starling").read_text()
    target.write_text(text.replace("#compdef mpiexec mpirun ", "#compdef ", 1))
    shutil.rmtree(share)


def tell_builds(usr, tree):
    """CMake and pkg-config look in the folder of libraries; what they find there leads into the tree."""
    libraries = (usr / tree).parent
    (libraries / "cmake/Starling").mkdir(parents=True)
    for name in ("StarlingConfig.cmake", "StarlingConfigVersion.cmake"):
        real = f"${{CMAKE_CURRENT_LIST_DIR}}/../../starling/lib/cmake/Starling/{name}"
        (libraries / "cmake/Starling" / name).write_text(f'include("{real}")\n')
    (libraries / "pkgconfig").mkdir()
    for file in (usr / tree / "lib/pkgconfig").glob("*.pc"):
        text = re.sub(r"^prefix=.*$", f"prefix=/usr/{tree}", file.read_text(), flags=re.M)
        (libraries / "pkgconfig" / file.name).write_text(text)


def main(component, staged, tree, source):
    usr, source = Path(staged.removesuffix(tree)), Path(source)
    move_pages(usr, tree)
    link_commands(usr, tree)
    if component == "tools":
        move_completions(usr, tree)
    if component == "dev":
        tell_builds(usr, tree)
    about = usr / "share/doc" / f"starling-{component}"
    about.mkdir(parents=True)
    (about / "copyright").write_text((source / "LICENSE").read_text())
    packed(about / "changelog.gz", (source / "CHANGELOG.md").read_text())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
