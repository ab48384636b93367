# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A remote shell between test hosts: `RSH HOST COMMAND...`. Like ssh it gives the words to a shell there, in the home folder and
with a login's environment, passes the three streams, and ends with the command's status, or 255 where there is no such
host. If one end dies the other sees its streams end, and nothing else. It takes no network, so whatever the counters of
a card show is the job's own. A client that is stopped is a connection that hangs.

A client sends a line of JSON and three descriptors; it gets the status of the command as a line.
"""
import json
import os
import pwd
import socket
import subprocess
import sys
import threading

from .processes import die_with_parent, enter

UNKNOWN_HOST = 255
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def login_environment():
    user = pwd.getpwuid(os.getuid())
    return {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "SHELL": user.pw_shell, "PATH": PATH}


def run_for(connection, first_processes):
    """Serves one client."""
    with connection:
        text, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 3)
        while text and not text.endswith(b"\n"):
            text += connection.recv(1 << 20)
        if len(descriptors) != 3 or not text:
            return
        request = json.loads(text)
        environment = login_environment()
        command = enter(first_processes[request["host"]], ["sh", "-c", request["command"]], environment["HOME"])
        # nsenter stops itself when its child is stopped, and nothing but the end of this thread would end it then.
        shell = subprocess.Popen(command, stdin=descriptors[0], stdout=descriptors[1], stderr=descriptors[2],
                                 env=environment, preexec_fn=die_with_parent)
        for descriptor in descriptors:
            os.close(descriptor)
        code = shell.wait()
        connection.sendall(f"{code if code >= 0 else 128 - code}\n".encode())


def serve(listener, first_processes):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=run_for_quietly, args=(connection, first_processes), daemon=True).start()


def run_for_quietly(connection, first_processes):
    try:
        run_for(connection, first_processes)
    except OSError:
        pass  # the client has gone


def pump(source, target):
    """Until one of the two ends; then closes both."""
    try:
        while data := os.read(source, 1 << 16):
            while data:
                data = data[os.write(target, data):]
    except OSError:
        pass
    for descriptor in (source, target):
        os.close(descriptor)


def client(folder, words):
    """The remote shell's own process. Returns its exit status."""
    host, command = words[0].rpartition("@")[2], " ".join(words[1:])
    with open(os.path.join(folder, "names"), encoding="utf-8") as names:
        known = names.read().split()
    if host not in known:
        print(f"rsh: could not resolve host name {host}", file=sys.stderr)
        return UNKNOWN_HOST
    there_in, here_in = os.pipe()
    here_out, there_out = os.pipe()
    here_err, there_err = os.pipe()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.path.join(folder, "socket"))
    socket.send_fds(connection, [json.dumps({"host": host, "command": command}).encode() + b"\n"],
                    [there_in, there_out, there_err])
    for descriptor in (there_in, there_out, there_err):
        os.close(descriptor)
    threading.Thread(target=pump, args=(0, here_in), daemon=True).start()
    outputs = [threading.Thread(target=pump, args=streams, daemon=True) for streams in ((here_out, 1), (here_err, 2))]
    for thread in outputs:
        thread.start()
    status = connection.makefile().readline()
    for thread in outputs:
        thread.join()
    return int(status or UNKNOWN_HOST)
