#!/usr/bin/env python3
"""A bot for the arena's own protocol, `native`, which carries every game. Python 3.8 or newer, nothing else.

    python3 native_bot.py NAME HOST 4205 otter-42                                    on a server, in this room
    python3 native_bot.py NAME HOST 4205 expanding-nim                               on a server, with any opponent
    manage.py match santorini-5x5 "native:python3 native_bot.py NAME" builtin:club   here, without a server

One JSON object a line, both ways. Each `turn` brings the position and all legal moves, so a bot need not know the rules
to play; this one knows just enough of each game not to miss a win.
"""

import json
import random
import socket
import sys
import time


def connect_four(position, legal):
    """A column that wins, else one where the other would win, else the one nearest to the centre."""
    size, board = position.split(" ")
    columns, rows = map(int, size.split("x"))
    mine, other = ("x", "o") if board.count("x") == board.count("o") else ("o", "x")

    def wins(column, sign):
        row = max(r for r in range(rows) if board[r * columns + column] == ".")
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for way in (1, -1):
                r, c = row + way * down, column + way * right
                while 0 <= r < rows and 0 <= c < columns and board[r * columns + c] == sign:
                    length, r, c = length + 1, r + way * down, c + way * right
            if length >= 4:
                return True
        return False

    free = sorted((int(move) - 1 for move in legal), key=lambda column: abs(2 * column - columns + 1))
    winning = [column for sign in (mine, other) for column in free if wins(column, sign)]
    return str((winning or free)[0] + 1)


def expanding_nim(position, legal):
    """All stones where that is allowed."""
    stones = position.split(" ")[2]
    return stones if stones in legal else random.choice(legal)


def santorini(position, legal):
    """A step to height 3: of all turns it is the one without a build."""
    return next((move for move in legal if "-" in move and "+" not in move), random.choice(legal))


GAMES = {"connect-four": connect_four, "expanding-nim": expanding_nim, "santorini": santorini}


def choose(variant, position, legal):
    for game, chooses in GAMES.items():
        if variant.startswith(game):
            return chooses(position, legal)
    return random.choice(legal)


def main(name, host=None, port=None, room_or_variant=None):
    connection = socket.create_connection((host, int(port))) if host else None
    lines, answers = (connection.makefile("r"), connection.makefile("w")) if connection else (sys.stdin, sys.stdout)

    def say(**message):
        print(json.dumps(message), file=answers, flush=True)  # flush: what stays in a buffer never arrives

    say(type="hello", name=name)
    if room_or_variant and room_or_variant.startswith(tuple(GAMES)):
        say(type="queue", variant=room_or_variant)
    elif room_or_variant:
        say(type="join", room=room_or_variant)
    variant, move = "", {}
    for line in lines:
        told = json.loads(line)
        if told["type"] == "start":
            variant = told["variant"]
        elif told["type"] == "turn":
            move = {"ply": told["ply"], "move": choose(variant, told["position"], told["legal"])}
            say(type="move", **move)
        elif told["type"] == "ping":
            say(type="pong")
        elif told["type"] == "refused" and not variant:
            sys.exit(f"no seat: {told['hint']}")
        elif told["type"] == "refused":
            print(told["received"], told["hint"], file=sys.stderr)
            if told["code"] == "busy":  # the turn goes on: once more
                time.sleep(0.1)
                say(type="move", **move)
        elif told["type"] == "end":
            print(told["result"], told["reason"], file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 5):
        sys.exit("usage: native_bot.py NAME [HOST PORT ROOM-OR-VARIANT]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"no connection: {error}")
