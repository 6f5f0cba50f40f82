"""Connect Four of the hackathon, from the text alone: the socket is a file, NAME and JOIN go out together.

`file.py NAME CHANNEL [HOST PORT]`, else on its own input and output.
"""

import random
import socket
import sys

name, channel, *where = sys.argv[1:]
if where:
    connection = socket.create_connection((where[0], int(where[1])))
    hear = connection.makefile("r", newline="\n")
    say = connection.makefile("w", newline="\n")
else:
    hear, say = sys.stdin, sys.stdout

discs = [0] * 7
print(f"NAME {name}\nJOIN {channel}", file=say, flush=True)
for line in hear:
    message, *argument = line.split()
    if message == "NEW_GAME":
        discs = [0] * 7
    elif message == "PUT":
        discs[int(argument[0])] += 1
    elif message == "YOUR_MOVE":
        column = random.choice([column for column in range(7) if discs[column] < 6])
        discs[column] += 1
        print("PUT", column, file=say, flush=True)
    elif message == "Error":
        sys.exit(f"the server says {argument}")
