#!/usr/bin/env python3
"""A bot for the protocol `gamestate`: Connect Four on 8 columns and 8 rows. Python 3.8 or newer, nothing else.

    manage.py match connect-four-8x8 "gamestate:python3 gamestate_bot.py" builtin:club      here, without a server
    python3 arena-bridge.py HOST 4200 -- python3 gamestate_bot.py                           on a server

`ASSIGN_PLAYER: n` says who it is, `GAMESTATE: <64 places>` shows the board after every move of either side, and
`REQUEST_MOVE` asks for one column, counted from 0. Nothing may be printed but that digit.
"""

import sys

COLUMNS, ROWS = 8, 8
CENTRE_FIRST = (3, 4, 2, 5, 1, 6, 0, 7)


def wins(board, column, sign):
    """Whether a disc of `sign` dropped into this column makes four in a row."""
    row = max(r for r in range(ROWS) if board[r * COLUMNS + column] == "-")
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            r, c = row + way * down, column + way * right
            while 0 <= r < ROWS and 0 <= c < COLUMNS and board[r * COLUMNS + c] == sign:
                length, r, c = length + 1, r + way * down, c + way * right
        if length >= 4:
            return True
    return False


def choose(board, mine, other):
    """A column that wins, else one where the other would win, else the free one nearest to the centre."""
    free = [column for column in CENTRE_FIRST if board[column] == "-"]
    for sign in (mine, other):
        for column in free:
            if wins(board, column, sign):
                return column
    return free[0]


def main():
    mine, other, board = "X", "O", "-" * COLUMNS * ROWS
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "ASSIGN_PLAYER:":
            mine, other = ("X", "O") if rest == "0" else ("O", "X")
        elif word == "GAMESTATE:":
            board = rest
        elif word == "REQUEST_MOVE":
            print(choose(board, mine, other), flush=True)  # flush: what stays in a buffer never arrives


if __name__ == "__main__":
    main()
