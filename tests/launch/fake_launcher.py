# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that speaks PMI-1 or PMI-2 to the ranks that it starts, as the papers describe them, and notes each breach
of the protocol. A test may change its answers: by a function that gets the request and returns the answer's bytes, None
for the usual answer, or b"" to close the connection."""
import contextlib
import os
import socket
import subprocess
import threading

SPACE = "space_1"
LONGEST_KEY = 64
LONGEST_VALUE = 1024
LONGEST_LINE = 1024


def fields_of(message, divider):
    """name -> value. A value may have the divider of PMI-2, doubled."""
    words = message.replace(";;", "\0").split(divider)
    return dict(word.replace("\0", ";").split("=", 1) for word in words if word)


class Rank:
    def __init__(self, launcher, number, command):
        self.launcher = launcher
        self.number = number
        self.aborted = None
        self.finalized = False
        self.requests = []
        ours, theirs = socket.socketpair()
        self.socket = ours
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PMI", "SLURM", "OMPI"))}
        environment.update(launcher.environment, PMI_FD=str(theirs.fileno()), PMI_RANK=str(number),
                           PMI_SIZE=str(launcher.size))
        if launcher.version == 2:
            environment["PMI_JOBID"] = "7.0"
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        theirs.close()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self):
        stream = self.socket.makefile("rb")
        framed = False
        while True:
            try:
                message = self.read(stream, framed)
                if message is None:
                    break
                answer = self.answer(message, framed)
                if answer is None:
                    continue
                if answer == b"":
                    break
                self.socket.sendall(answer)
                if self.finalized:
                    break
            except OSError:
                break
            framed = framed or (self.launcher.version == 2 and message.startswith("cmd=init"))
        self.socket.shutdown(socket.SHUT_RDWR)
        stream.close()
        self.socket.close()

    def read(self, stream, framed):
        if not framed:
            line = stream.readline()
            if not line:
                return None
            self.launcher.check(len(line) <= LONGEST_LINE, f"a line of {len(line)} bytes")
            return line.decode().rstrip("\n")
        length = stream.read(6)
        if len(length) < 6:
            return None
        self.launcher.check(len(length) == 6 and length.strip().isdigit(), f"the length {length}")
        return stream.read(int(length)).decode()

    def answer(self, message, framed):
        """The answer's bytes."""
        fields = fields_of(message, ";" if framed else " ")
        command = fields["cmd"]
        self.requests.append(command)
        changed = self.launcher.change(self, command, fields)
        if changed is not None:
            return changed
        text = (self.launcher.answer_2 if framed else self.launcher.answer_1)(self, command, fields)
        if text is None:
            return None
        return f"{len(text):6}{text}".encode() if framed else f"{text}\n".encode()


class FakeLauncher:
    def __init__(self, version, size, mapping=None, change=lambda rank, command, fields: None, environment=None):
        self.version = version
        self.size = size
        self.mapping = mapping or f"(vector,(0,1,{size}))"
        self.change = change
        self.environment = environment or {}
        self.breaches = []
        self.texts = {}
        self.lock = threading.Lock()
        self.at_fence = []

    def check(self, is_right, what):
        if not is_right:
            self.breaches.append(what)

    def run(self, *command, limit_s=60):
        """Starts the ranks, and waits for them: .ranks, with .out, .err and .code."""
        self.ranks = [Rank(self, number, command) for number in range(self.size)]
        for rank in self.ranks:
            rank.thread.start()
        for rank in self.ranks:
            rank.out, rank.err = rank.process.communicate(timeout=limit_s)
            rank.code = rank.process.returncode
        for rank in self.ranks:
            rank.thread.join(timeout=5)
            self.check(not rank.finalized or rank.requests[-1] == "finalize", "a request behind finalize")
        return self

    @property
    def out(self):
        return "".join(rank.out for rank in self.ranks)

    @property
    def err(self):
        return "".join(rank.err for rank in self.ranks)

    @property
    def codes(self):
        return [rank.code for rank in self.ranks]

    def end_others(self, survivor):
        for rank in self.ranks:
            if rank is not survivor:
                rank.process.kill()

    def meet(self, rank, answer):
        """Answers all when the last has come; a rank may say something else before that."""
        with self.lock:
            self.at_fence.append(rank)
            if len(self.at_fence) < self.size:
                return
            for one in self.at_fence:
                with contextlib.suppress(OSError):
                    one.socket.sendall(answer)
            self.at_fence = []

    def put(self, key, value):
        self.check(len(key) < LONGEST_KEY and len(value) < LONGEST_VALUE, f"too long: {key}={value}")
        self.check(key not in self.texts, f"{key} is put twice")
        self.texts[key] = value

    def answer_1(self, rank, command, fields):
        if command in ("put", "get"):
            self.check(fields.get("kvsname") == SPACE, f"the name {fields.get('kvsname')}")
        if command == "init":
            version = self.version
            self.check(fields.get("pmi_version") == str(version), f"version {fields.get('pmi_version')}")
            return f"cmd=response_to_init pmi_version={version} pmi_subversion=0 rc=0 news=of_tomorrow"
        if command == "get_my_kvsname":
            return f"cmd=my_kvsname kvsname={SPACE}"
        if command == "get_appnum":
            return f"cmd=appnum appnum={rank.number % 2}"
        if command == "put":
            self.put(fields["key"], fields["value"])
            return "cmd=put_result rc=0 msg=success"
        if command == "get":
            value = {**self.texts, "PMI_process_mapping": self.mapping}.get(fields["key"])
            return f"cmd=get_result rc=0 msg=success value={value}" if value else "cmd=get_result rc=-1 msg=not_found value=unknown"
        if command == "barrier_in":
            return self.meet(rank, b"cmd=barrier_out\n")
        if command == "finalize":
            rank.finalized = True
            return "cmd=finalize_ack"
        if command == "abort":
            rank.aborted = fields.get("exitcode", "")
            self.end_others(rank)
            return None
        self.check(False, f"the command {command}")
        return f"cmd={command} rc=-1"

    def answer_2(self, rank, command, fields):
        begin = f"cmd={command}-response;"
        if command == "fullinit":
            self.check(fields.get("pmirank") == str(rank.number) and fields.get("pmijobid") == "7.0", "who calls")
            return begin + (f"pmi-version=2;pmi-subversion=0;rank={rank.number};size={self.size};appnum={rank.number % 2};"
                            "debugged=FALSE;pmiverbose=FALSE;news=of;;tomorrow;rc=0;")
        if command == "info-getjobattr":
            is_mapping = fields.get("key") == "PMI_process_mapping"
            return begin + (f"found=TRUE;value={self.mapping};rc=0;" if is_mapping else "found=FALSE;rc=0;")
        if command == "kvs-put":
            self.put(fields["key"], fields["value"])
            return begin + "rc=0;"
        if command == "kvs-get":
            value = self.texts.get(fields["key"])
            return begin + (f"found=TRUE;value={value};rc=0;" if value else "found=FALSE;rc=0;")
        if command == "kvs-fence":
            text = begin + "rc=0;"
            return self.meet(rank, f"{len(text):6}{text}".encode())
        if command == "finalize":
            rank.finalized = True
            return begin + "rc=0;"
        if command == "abort":
            rank.aborted = fields.get("msg", "")
            self.end_others(rank)
            return None
        self.check(False, f"the command {command}")
        return begin + "rc=-1;errmsg=unknown;"
