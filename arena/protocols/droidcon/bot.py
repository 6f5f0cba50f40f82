#!/usr/bin/env python3
"""A bot for the protocol `droidcon`: Connect Four on 7 columns and 6 rows. Python 3.8 or newer, nothing else.

    python3 droidcon_bot.py NAME ROOM HOST 4242                                             on a server
    manage.py match connect-four-7x6 "droidcon:python3 droidcon_bot.py me x" builtin:club   here, without a server

`PUT c` is the other side's move, `YOUR_MOVE` asks for ours; columns are counted from 0. Nobody sends the board, so it
is kept here. After the last of the four rounds the arena ends the connection.
"""

import socket
import sys

COLUMNS, ROWS = 7, 6
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)
FREE, MINE, OTHER = ".", "x", "o"


def connect(host, port):
    """What the arena says and where to answer. Raises OSError where nothing listens."""
    connection = socket.create_connection((host, int(port)))
    return connection.makefile("r"), connection.makefile("w")


def landing(board, column):
    """The row where a disc in this column comes to rest, None in a full one."""
    rows = [row for row in range(ROWS) if board[row][column] == FREE]
    return rows[-1] if rows else None


def wins(board, column, sign):
    """Whether a disc of `sign` dropped into this column makes four in a row."""
    row = landing(board, column)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            r, c = row + way * down, column + way * right
            while 0 <= r < ROWS and 0 <= c < COLUMNS and board[r][c] == sign:
                length, r, c = length + 1, r + way * down, c + way * right
        if length >= 4:
            return True
    return False


def choose(board):
    """A column that wins, else one where the other would win, else the free one nearest to the centre."""
    free = [column for column in CENTRE_FIRST if board[0][column] == FREE]
    for sign in (MINE, OTHER):
        for column in free:
            if wins(board, column, sign):
                return column
    return free[0]


def drop(board, column, sign):
    """A wrong move of the other side is told as well, just before it loses: it changes nothing."""
    if column in CENTRE_FIRST and landing(board, column) is not None:
        board[landing(board, column)][column] = sign


def empty_board():
    return [[FREE] * COLUMNS for _ in range(ROWS)]


def main(name, room, *where):
    lines, answers = connect(*where) if where else (sys.stdin, sys.stdout)
    print(f"NAME {name}\nJOIN {room}", file=answers, flush=True)
    board = empty_board()
    for line in lines:
        words = line.split()
        if "CHANNEL_IS_FULL" in words:
            sys.exit(f"there are two players in {room} already")
        elif words[:1] == ["NEW_GAME"]:
            board = empty_board()
        elif words[:1] == ["PUT"]:
            drop(board, int(words[1]), OTHER)
        elif words[:1] == ["YOUR_MOVE"]:
            column = choose(board)
            drop(board, column, MINE)
            print(f"PUT {column}", file=answers, flush=True)  # flush: what stays in a buffer never arrives
        elif words[:1] != ["SUCCESS"]:
            print(line.strip(), file=sys.stderr)  # how a round ended, or an error


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: droidcon_bot.py NAME ROOM [HOST PORT]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"no connection: {error}")
