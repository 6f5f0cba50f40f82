#!/usr/bin/env python3
"""A bot for the protocol `nyu-nim`: Expanding Nim with resets. Python 3.8 or newer, nothing else.

    python3 nyu_nim_bot.py HOST 4202                                              on a server
    manage.py match expanding-nim "nyu-nim:python3 nyu_nim_bot.py" builtin:club   here, without a server

`a b c d` asks for a move: a stones are left, b is the largest take so far (2 at least), c is 1 when the other has just
reset, d is 1 at the end. The answer is `x y`: take x stones, y is 1 to reset. Nothing has a line end, on either side.
"""

import re
import socket
import sys

STATE = re.compile(rb"\s*(\d+) (\d+) ([01]) ([01])")


def connect(host, port):
    """What the arena says and where to answer. Raises OSError where nothing listens."""
    connection = socket.create_connection((host, int(port)))
    return connection.makefile("rb"), connection.makefile("wb")


def choose(stones, largest, bound, may_reset):
    """Stones to take and whether to reset: win now, else leave the other a number that it cannot finish."""
    most = min(stones, 3 if bound else largest + 1)
    if most == stones:
        return stones, 0
    for take in range(1, most + 1):
        others_most = max(largest, take) + 1
        if (stones - take) % (others_most + 1) == 0:
            return take, 0
    if may_reset and 1 <= stones - 4 <= most:  # the other may take 1 to 3 of the last 4, and we the rest
        return stones - 4, 1
    return 1, 0


def main(*where):
    states, answers = connect(*where) if where else (sys.stdin.buffer, sys.stdout.buffer)
    resets, unread = 1, b""  # one reset a match is allowed everywhere
    while True:
        data = states.read1(4096)
        if not data:
            return
        unread += data
        while True:
            state = STATE.match(unread)
            if state is None:
                break
            unread = unread[state.end() :]
            stones, largest, bound, over = map(int, state.groups())
            if over:
                return
            take, reset = choose(stones, largest, bound, resets > 0)
            resets -= reset
            answers.write(b"%d %d" % (take, reset))
            answers.flush()  # what stays in a buffer never arrives


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3):
        sys.exit("usage: nyu_nim_bot.py [HOST PORT]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"no connection: {error}")
