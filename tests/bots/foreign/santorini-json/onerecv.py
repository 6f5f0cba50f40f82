"""Santorini, from the text alone: says nothing first, and one recv is one value.

Its own name is in no message that comes to it; it is the one on the board that is not the opponent's.
`onerecv.py [HOST PORT]`, else on its own input and output.
"""

import json
import os
import random
import socket
import sys

if len(sys.argv) > 1:
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    hear, say = connection.recv, connection.sendall
else:
    hear, say = (lambda size: os.read(0, size)), (lambda data: os.write(1, data))

EAST_WEST = {-1: "WEST", 0: "PUT", 1: "EAST"}
NORTH_SOUTH = {-1: "NORTH", 0: "PUT", 1: "SOUTH"}


def around(cells, x, y):
    for dx in EAST_WEST:
        for dy in NORTH_SOUTH:
            if (dx or dy) and (x + dx, y + dy) in cells:
                yield x + dx, y + dy, [EAST_WEST[dx], NORTH_SOUTH[dy]]


def turns(board, opponent):
    cells = {(x, y): str(cell) for y, row in enumerate(board) for x, cell in enumerate(row)}
    taken = {place for place, cell in cells.items() if len(cell) > 1}
    height = {place: int(cell[0]) for place, cell in cells.items()}
    for x, y in taken:
        worker = cells[x, y][1:]
        if worker[:-1] == opponent:
            continue
        for to_x, to_y, direction in around(cells, x, y):
            if (to_x, to_y) in taken or height[to_x, to_y] > min(3, height[x, y] + 1):
                continue
            move = ["move", {"player": worker[:-1], "id": int(worker[-1])}, direction]
            if height[to_x, to_y] == 3:
                yield 1, [move]
                continue
            for site_x, site_y, build in around(cells, to_x, to_y):
                free = (site_x, site_y) not in taken or (site_x, site_y) == (x, y)
                if free and height[site_x, site_y] < 4:
                    yield 0, [move, ["build", build]]


opponent = ""
while True:
    data = hear(1024)
    if not data:
        break
    kind, said = json.loads(data)
    if kind == "new_game":
        opponent = said
        answer = "OK"
    elif kind == "place":
        taken = {(worker["x"], worker["y"]) for worker in said}
        places = [(x, y) for x in range(6) for y in range(6) if (x, y) not in taken]
        answer = ["place", *random.choice(places)]
    elif kind == "turn":
        answer = max(turns(said, opponent), key=lambda turn: (turn[0], random.random()))[1]
    else:
        answer = "OK"
    say(json.dumps(answer).encode())
