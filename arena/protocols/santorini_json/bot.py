#!/usr/bin/env python3
"""A bot for the protocol `santorini-json`: Santorini on 6 by 6. Python 3.8 or newer, nothing else.

    python3 santorini_json_bot.py NAME HOST 4204                                                     on a server
    manage.py match santorini-6x6 "santorini-json:python3 santorini_json_bot.py NAME" builtin:club   here, without one

JSON values both ways. A cell of the board is a height, or the text `2max1` for worker 1 of max on height 2; board[y][x]
is counted from the north-west. The player who is not the opponent that `new_game` named is us.
"""

import json
import socket
import sys

SIZE = 6
EAST_WEST, NORTH_SOUTH = {-1: "WEST", 0: "PUT", 1: "EAST"}, {-1: "NORTH", 0: "PUT", 1: "SOUTH"}
SQUARES = [(x, y) for y in range(SIZE) for x in range(SIZE)]
CENTRE_FIRST = sorted(SQUARES, key=lambda at: (2 * at[0] - 5) ** 2 + (2 * at[1] - 5) ** 2)


def values(stream):
    """Every JSON value that the arena sends; they may come in pieces, or glued together."""
    decoder, unread = json.JSONDecoder(), ""
    while True:
        data = stream.read1(4096)
        if not data:
            return
        unread = (unread + data.decode()).lstrip()
        while unread:
            try:
                value, end = decoder.raw_decode(unread)
            except ValueError:
                break  # the rest of it has not come yet
            yield value
            unread = unread[end:].lstrip()


def read_board(rows, opponent):
    """Heights and workers by (x, y); what a row leaves out is free ground. A worker is (is it ours, name, id)."""
    heights, workers = dict.fromkeys(SQUARES, 0), {}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            heights[x, y] = int(str(cell)[0])
            if isinstance(cell, str):
                workers[x, y] = (cell[1:-1] != opponent, cell[1:-1], int(cell[-1]))
    return heights, workers


def near(at):
    return [to for to in SQUARES if to != at and abs(to[0] - at[0]) <= 1 and abs(to[1] - at[1]) <= 1]


def turns(heights, workers):
    """Every legal turn as (from, to, build). A step to height 3 wins, and goes without a build."""
    for start in [at for at, (ours, _, _) in workers.items() if ours]:
        for to in near(start):
            if to in workers or heights[to] > min(heights[start] + 1, 3):
                continue
            if heights[to] == 3:
                yield start, to, None
                continue
            for site in near(to):
                if heights[site] < 4 and (site == start or site not in workers):
                    yield start, to, site


def worth(turn, heights, workers):
    """A win is best; a turn that lets the other step to height 3 is worst; between them, high is good."""
    _, to, site = turn
    if site is None:
        return 1000
    after = {**heights, site: heights[site] + 1}
    climbers = [at for at, (ours, _, _) in workers.items() if not ours and heights[at] >= 2]
    tops = [at for climber in climbers for at in near(climber) if after[at] == 3 and at != to and at not in workers]
    return 10 * heights[to] + (heights[site] if heights[site] <= heights[to] else 0) - 500 * bool(tops)


def way(start, end):
    return [EAST_WEST[end[0] - start[0]], NORTH_SOUTH[end[1] - start[1]]]


def take_turn(rows, opponent):
    heights, workers = read_board(rows, opponent)
    start, to, site = max(turns(heights, workers), key=lambda turn: worth(turn, heights, workers))
    _, name, number = workers[start]
    move = ["move", {"player": name, "id": number}, way(start, to)]
    return [move] if site is None else [move, ["build", way(to, site)]]


def place(placed):
    taken = [(worker["x"], worker["y"]) for worker in placed]
    return ["place", *next(at for at in CENTRE_FIRST if at not in taken)]


def main(name, *where):
    stream = socket.create_connection((where[0], int(where[1]))).makefile("rwb") if where else None
    opponent = ""
    send(["join", name], stream or sys.stdout.buffer)
    for value in values(stream or sys.stdin.buffer):
        if not isinstance(value, list):
            continue  # "OK": we are registered
        kind, content = value[0], value[1]
        if kind == "new_game":
            opponent = content
        elif kind == "over":
            print(content["winner"], "won:", content["reason"], file=sys.stderr)
        answer = "OK"
        if kind == "place":
            answer = place(content)
        elif kind == "turn":
            answer = take_turn(content, opponent)
        send(answer, stream or sys.stdout.buffer)


def send(value, stream):
    stream.write(json.dumps(value).encode() + b"\n")
    stream.flush()  # what stays in a buffer never arrives


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        sys.exit("usage: santorini_json_bot.py NAME [HOST PORT]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"no connection: {error}")
