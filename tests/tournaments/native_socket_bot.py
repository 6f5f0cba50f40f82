"""The sample bot for `native` on a websocket: `python3 native_socket_bot.py ADDRESS TOKEN`, until the arena closes."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

SAMPLE = Path(__file__).parents[2] / "arena" / "protocols" / "native" / "bot.py"


def sample() -> Any:
    spec = importlib.util.spec_from_file_location("native_bot", SAMPLE)
    assert spec is not None and spec.loader is not None, "the sample is there"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(address: str, token: str) -> None:
    choose = sample().choose
    patient = {"open_timeout": None, "close_timeout": None, "ping_interval": None}
    with connect(address, additional_headers={"Authorization": f"Bearer {token}"}, **patient) as socket:
        socket.send(json.dumps({"type": "hello", "name": "socket"}))
        variant = ""
        for message in socket:
            told = json.loads(message)
            if told["type"] == "start":
                variant = told["variant"]
            elif told["type"] == "turn":
                move = choose(variant, told["position"], told["legal"])
                socket.send(json.dumps({"type": "move", "ply": told["ply"], "move": move}))
            elif told["type"] == "ping":
                socket.send(json.dumps({"type": "pong"}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ConnectionClosed) as why:
        sys.exit(f"no connection: {why}")
