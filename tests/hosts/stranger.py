# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls at doors that are not his: `stranger.py SEED SECONDS [ADDRESS PORT]...`. It connects and says nothing, sends garbage, the
begin of what looks like a greeting, very much of it, or nothing but a reset; and prints what it was told."""
import random
import socket
import struct
import sys
import time


def silent(connection, _):
    connection.settimeout(0.2)
    return listen(connection)


def garbage(connection, dice):
    connection.sendall(dice.randbytes(dice.randrange(1, 5000)))
    return listen(connection)


def http(connection, _):
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return listen(connection)


def half_a_greeting(connection, dice):
    connection.sendall(dice.choice((b"starling", b"starling-", b"STRL", b"\x7fELF")) + dice.randbytes(dice.randrange(0, 60)))
    return listen(connection)


def flood(connection, dice):
    block = dice.randbytes(65536)
    for _ in range(64):
        connection.sendall(block)
    return listen(connection)


def reset(connection, _):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return b""


def listen(connection):
    connection.settimeout(0.2)
    try:
        return connection.recv(4096)
    except OSError:
        return b""


def main():
    dice = random.Random(int(sys.argv[1]))
    end = time.monotonic() + float(sys.argv[2])
    doors = list(zip(sys.argv[3::2], map(int, sys.argv[4::2])))
    calls = refused = 0
    told = b""
    kept = []  # silent ones that stay
    while time.monotonic() < end:
        try:
            connection = socket.create_connection(dice.choice(doors), 2)
        except OSError:
            refused += 1
            continue
        calls += 1
        try:
            told += dice.choice((silent, garbage, http, half_a_greeting, flood, reset))(connection, dice)
        except OSError:
            pass
        if dice.random() < 0.5 and len(kept) < 200:
            kept.append(connection)
        else:
            connection.close()
    print(f"{calls} calls, {refused} refused, told {len(told)} bytes: {told[:64].hex()}")


if __name__ == "__main__":
    main()
