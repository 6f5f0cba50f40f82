"""File descriptors: the last of them are kept for what the server itself has to open.

Every stranger's connection takes one, and so does everything that a match in progress needs: a file of the database, a
bot's process, a worker that thinks. Strangers get one only while more than the reserve is free; others are told that
there is none. However many these are, the log gets one line a second.
"""

from __future__ import annotations

import errno
import logging
import os
import resource
import sys
import time

log = logging.getLogger("arena.server.server")

# At most this many are kept, and at most this share of all.
MOST_KEPT, SHARE = 256, 4
WORDS = "This server has no room for more connections just now. Try again in a minute."
_EXHAUSTED = (errno.EMFILE, errno.ENFILE)


class _Refused:
    """How many were refused since the last line of the log."""

    count = 0
    said_at = float("-inf")


def reserve() -> int:
    """How many are kept."""
    return min(MOST_KEPT, _most() // SHARE)


def room() -> bool:
    """Whether a stranger may have one more: the lowest free number, which the kernel gives, tells how many are used."""
    most = _most()
    try:
        lowest = os.open("/", os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    os.close(lowest)
    return lowest < most - reserve()


def admit() -> bool:
    """The same for a client that has just come; a refusal is logged."""
    if room():
        return True
    refused()
    return False


def exhausted(error: BaseException | None) -> bool:
    """Whether this error says that there are none left, here or on the whole machine."""
    return isinstance(error, OSError) and error.errno in _EXHAUSTED


def refused() -> None:
    """A client was refused: log it, but no more than once a second."""
    _Refused.count += 1
    now = time.monotonic()
    if now - _Refused.said_at >= 1:
        log.warning("all but the reserve of %d file descriptors are in use: %d refused", _most(), _Refused.count)
        _Refused.count, _Refused.said_at = 0, now


def _most() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft
