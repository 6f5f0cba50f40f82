"""Sends a running server the requests of monitoring: on this machine, past any proxy."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import NamedTuple

PATHS = ("/healthz", "/readyz", "/metrics")
ANSWER_S = 5.0
NAMES_ITSELF = "arena"


class Answer(NamedTuple):
    """`words` is the first line; with status 0 there was no answer, and it says why."""

    path: str
    status: int
    words: str


def answers(port: int) -> Iterator[Answer]:
    for path in PATHS:
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
        try:
            asking.request("GET", path)
            answer = asking.getresponse()
            yield Answer(path, answer.status, answer.readline(300).decode(errors="replace").strip())
        except (OSError, http.client.HTTPException) as why:
            yield Answer(path, 0, str(why) or type(why).__name__)
        finally:
            asking.close()


def is_arena(port: int) -> bool:
    """Whether who answers there is a server of ours."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
    try:
        asking.request("GET", PATHS[0])
        return asking.getresponse().getheader("Server") == NAMES_ITSELF
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asking.close()
