"""Expanding Nim, from the text alone: one recv is one state.

`onerecv.py [HOST PORT]`, else on its own input and output.
"""

import os
import socket
import sys

if len(sys.argv) > 1:
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    hear, say = connection.recv, connection.sendall
else:
    hear, say = (lambda size: os.read(0, size)), (lambda data: os.write(1, data))

while True:
    left, largest, reset, over = (int(word) for word in hear(1024).split())
    if over:
        break
    most = 3 if reset else largest + 1
    # Leave a multiple of four where that can be done.
    take = left if left <= most else min(left % 4 or 1, most)
    say(f"{take} 0".encode())
