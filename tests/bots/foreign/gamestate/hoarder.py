"""8 by 8, from the text alone: reads line by line, prints, and never flushes."""

import random
import sys

board = "-" * 64
while True:
    line = sys.stdin.readline()
    if not line:
        break
    word, _, rest = line.rstrip("\n").partition(": ")
    if word == "ASSIGN_PLAYER":
        player = int(rest)
    elif word == "GAMESTATE":
        board = rest
    elif word == "REQUEST_MOVE":
        print(random.choice([column for column in range(8) if board[column] == "-"]))
