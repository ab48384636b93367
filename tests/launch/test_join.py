# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Comm_join with an other end that fails: an error in bounded time, and MPI_COMM_NULL."""
import os
import signal
import socket
import subprocess
import tempfile
import time

from launch_support import BIN, LaunchTest, main

END = os.path.join(BIN, "launch_join_end")
GREETING = 32  # bytes; see src/world/dynamic/join.cpp


def start(*ends, environment=None):
    numbers = [end if isinstance(end, int) else end.fileno() for end in ends]
    return subprocess.Popen([END, *map(str, numbers)], pass_fds=numbers, stdout=subprocess.PIPE, text=True,
                            env=dict(os.environ, **(environment or {})))


class Join(LaunchTest):
    def finish(self, process):
        out, _ = process.communicate(timeout=60)  # a hang fails here
        self.assertEqual(process.returncode, 0)
        return out

    def fails(self, process, words, error_class="MPI_ERR_OTHER"):
        out = self.finish(process)
        self.assertTrue(out.startswith(f"failed {error_class} "), out)
        self.assertIn(words, out)

    def test_two_processes_that_know_nothing_of_each_other_join(self):
        one, other = socket.socketpair()
        processes = [start(one), start(other)]
        self.assertEqual([self.finish(process) for process in processes], ["joined 42\n"] * 2)

    def test_an_end_that_comes_late_is_waited_for(self):
        one, other = socket.socketpair()
        early = start(one, environment={"STARLING_JOIN_PATIENCE_MS": "100"})
        time.sleep(0.5)
        late = start(other)
        self.assertEqual([self.finish(early), self.finish(late)], ["joined 42\n"] * 2)

    def test_a_closed_end_is_an_error(self):
        one, other = socket.socketpair()
        other.close()
        self.fails(start(one), "other end of the socket")

    def test_an_end_that_closes_later_is_an_error(self):
        one, other = socket.socketpair()
        process = start(one)
        one.close()
        other.recv(GREETING)
        other.close()
        self.fails(process, "is closed, or its process has ended")

    def test_a_half_closed_end_is_an_error(self):
        one, other = socket.socketpair()
        other.shutdown(socket.SHUT_WR)
        self.fails(start(one), "is closed, or its process has ended")

    def test_garbage_is_an_error(self):
        one, other = socket.socketpair()
        other.send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4)
        self.fails(start(one), "does not send what MPI_Comm_join sends")

    def test_an_end_that_stops_in_the_middle_of_a_word_is_an_error(self):
        one, other = socket.socketpair()
        other.send(b"half")
        self.fails(start(one, environment={"STARLING_JOIN_PATIENCE_MS": "200"}), "STARLING_JOIN_PATIENCE_MS")

    def greet(self, word):
        """A peer that greets as the library does, changed at one word, and says nothing more."""
        one, other = socket.socketpair()
        process = start(one, environment={"STARLING_JOIN_PATIENCE_MS": "200"})
        one.close()
        greeting = bytearray(other.recv(GREETING, socket.MSG_WAITALL))
        at, value = word
        greeting[8 * at:8 * at + 8] = value
        other.send(greeting)
        return process, other

    def test_another_build_is_named(self):
        process, _ = self.greet((1, b"\1" * 8))
        self.fails(process, "another build of the library")

    def test_a_peer_that_dies_after_its_greeting_is_an_error(self):
        for job in (b"\0" * 8, b"\xff" * 8):  # the end that offers, and the end that waits for the offer
            process, other = self.greet((2, job))
            other.close()
            self.fails(process, "other end of the socket")

    def test_a_peer_that_is_silent_after_its_greeting_is_an_error(self):
        for job in (b"\0" * 8, b"\xff" * 8):
            process, other = self.greet((2, job))
            self.fails(process, "STARLING_JOIN_PATIENCE_MS")
            other.close()

    def test_an_offer_that_leads_nowhere_is_an_error_at_both_ends(self):
        process, other = self.greet((2, b"\0" * 8))
        other.send(b"\0" * 8 + (1).to_bytes(4, "little") + (999).to_bytes(4, "little") + b"\0" * 8)
        self.fails(process, "cannot be opened")
        self.assertEqual(other.recv(8), b"\0" * 8)

    def test_a_peer_that_is_killed_is_an_error(self):
        one, other = socket.socketpair()
        process = start(one)
        one.close()
        sleeper = subprocess.Popen(["sleep", "60"], pass_fds=[other.fileno()])
        other.close()
        time.sleep(0.2)
        sleeper.send_signal(signal.SIGKILL)
        sleeper.wait()
        self.fails(process, "other end of the socket")

    def test_what_is_no_connected_stream_socket_is_refused_and_left_alone(self):
        with tempfile.TemporaryFile() as file:
            self.fails(start(file), "is not a socket", "MPI_ERR_ARG")
            self.assertEqual(os.fstat(file.fileno()).st_size, 0)
        reading, writing = os.pipe()
        self.fails(start(writing), "is not a socket", "MPI_ERR_ARG")
        self.fails(start(socket.socket()), "is not connected", "MPI_ERR_ARG")
        self.fails(start(socket.socketpair(type=socket.SOCK_DGRAM)[0]), "is not a stream socket", "MPI_ERR_ARG")
        os.close(writing)
        self.assertEqual(os.read(reading, 1), b"")
        os.close(reading)
        done = subprocess.run([END, "250"], capture_output=True, text=True, timeout=60)
        self.assertIn("failed MPI_ERR_ARG", done.stdout)


if __name__ == "__main__":
    main()
