"""A client of the course that names a worker by its number and sends a build with each step, a winning one too.

python3 fiveparts.py NAME [HOST PORT]
"""

import json
import socket
import sys

name, *address = sys.argv[1:]
if address:
    stream = socket.create_connection((address[0], int(address[1])))
    read, write = (lambda: stream.recv(300).decode()), (lambda text: stream.sendall(text.encode()))
else:
    read, write = sys.stdin.readline, (lambda text: print(text, end="", flush=True))
EAST_WEST, NORTH_SOUTH = {-1: "WEST", 0: "PUT", 1: "EAST"}, {-1: "NORTH", 0: "PUT", 1: "SOUTH"}


def around(cells, x, y):
    """The squares next to (x, y) without a dome and without a worker."""
    for north_south in NORTH_SOUTH:
        for east_west in EAST_WEST:
            at = x + east_west, y + north_south
            if 0 <= at[0] < 6 and 0 <= at[1] < 6 and isinstance(cells[at[1]][at[0]], int) and cells[at[1]][at[0]] < 4:
                yield at


def turn(cells):
    """The highest step, and the first build behind it; the name if there is none, which gives up."""
    best = -1, name
    for y in range(6):
        for x in range(6):
            cell = cells[y][x]
            if isinstance(cell, int) or cell[1:-1] != name:
                continue
            height = int(cell[0])
            left = [list(row) for row in cells]
            left[y][x] = height
            for to_x, to_y in around(left, x, y):
                high = left[to_y][to_x]
                if (to_x, to_y) != (x, y) and best[0] < high <= height + 1:
                    at_x, at_y = next(site for site in around(left, to_x, to_y) if site != (to_x, to_y))
                    step = EAST_WEST[to_x - x], NORTH_SOUTH[to_y - y]
                    best = high, [cell[-1], *step, EAST_WEST[at_x - to_x], NORTH_SOUTH[at_y - to_y]]
    return best[1]


def answer(value):
    """What a value is answered with; None if with nothing."""
    if isinstance(value, str) or value[:1] == ["playing-as"]:
        return None
    if len(value) == 6 and len(value[0]) == 6:
        return turn(value)
    if all(isinstance(part[1], int) for part in value):
        taken = [part[1:] for part in value]
        return next([place, place] for place in range(6) if [place, place] not in taken)
    sys.exit()


def main():
    write(json.dumps(name))
    text = ""
    while heard := read():
        text += heard
        while text := text.lstrip():
            try:
                value, end = json.JSONDecoder().raw_decode(text)
            except ValueError:
                break
            text = text[end:]
            if (said := answer(value)) is not None:
                write(json.dumps(said))


main()
