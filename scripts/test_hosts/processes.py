# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes of test hosts, seen and started from outside."""
import ctypes
import os
import signal

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """For a child between fork and exec: it is killed when the thread that started it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def enter(first_process, command, folder="/"):
    """The words of a command that runs in the namespaces of a process, in the folder of that name."""
    return ["nsenter", f"--target={first_process}", "--net", "--uts", "--ipc", "--mount", "--pid", f"--wd={folder}", "--",
            *command]


def namespace(process):
    try:
        return os.readlink(f"/proc/{process}/ns/pid")
    except OSError:
        return None


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


def is_zombie(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def inside(first_process):
    """The processes of a host but the first, by their ids outside."""
    own = namespace(first_process)
    return [process for process in map(int, filter(str.isdigit, os.listdir("/proc")))
            if own and process != first_process and namespace(process) == own and not is_zombie(process)]


def command_line(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
