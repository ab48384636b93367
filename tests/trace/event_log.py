# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The log of a traced job as a reader of its own finds it (src/observe/event_log.hpp), for tests."""
import collections
import struct

CALL, WAIT, SEND, RECEIVE, TRAFFIC = 1, 2, 3, 4, 7
COLLECTIVE = 1  # a flag
EVENTS = 1      # a kind of record

Event = collections.namedtuple("Event", "begin end kind flags call context peer tag bytes sequence site skipped "
                                        "thread wait_kind awaited_as")


def events_of(path):
    """The events of each rank, as far as the log is written."""
    found = collections.defaultdict(list)
    with open(path, "rb") as file:
        log = file.read()[64:]
    while len(log) >= 16:
        kind, of, size = struct.unpack_from("=IiQ", log)
        body = log[16:16 + size]
        log = log[16 + (size + 7) // 8 * 8:]
        if kind == EVENTS and len(body) == size:
            found[of] += [Event(*fields) for fields in struct.iter_unpack("=QQBBHIiiQQQIHBB", body)]
    return found
