#!/usr/bin/env python3
"""A bot for the protocol `fiar`: Connect Four on 7 columns and 6 rows. Python 3.8 or newer, nothing else.

    manage.py match connect-four-7x6 "fiar:python3 fiar_bot.py" builtin:club      here, without a server
    python3 arena-bridge.py HOST 4201 -- python3 fiar_bot.py                      on a server

Each line that comes in is `<own sign> <42 places>` and asks for one column, counted from 1.
"""

import sys

COLUMNS, ROWS = 7, 6
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)


def wins(board, column, sign):
    """Whether a disc of `sign` dropped into this column makes four in a row."""
    row = max(r for r in range(ROWS) if board[r * COLUMNS + column] == ".")
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
    """A column that wins, else one where the other would win, else the free one nearest to the centre; and why."""
    free = [column for column in CENTRE_FIRST if board[column] == "."]
    for sign, why in ((mine, "#eval 1 #say I win."), (other, "#eval 0 #say The other would win there.")):
        for column in free:
            if wins(board, column, sign):
                return column, why
    return free[0], "#eval 0 #say As near to the centre as I can."


def main():
    for line in sys.stdin:
        sign, _, board = line.strip().partition(" ")
        if len(board) == COLUMNS * ROWS:
            column, why = choose(board, sign, "O" if sign == "@" else "@")
            # What it thinks, for the page of the match: nobody has to say anything here.
            print(f"{why} #pv {column + 1}", file=sys.stderr, flush=True)
            print(column + 1, flush=True)  # flush: what stays in a buffer never arrives


if __name__ == "__main__":
    main()
