"""Classes of machines, with which work and events say where they are computed."""

from __future__ import annotations

import platform

LONGEST_CLASS = 32


def is_class(text: str) -> bool:
    """Whether this is a valid name of a class of machines."""
    return 1 <= len(text) <= LONGEST_CLASS and text == text.strip() and text.isprintable()


def own_class() -> str:
    """The class of this machine if nobody has given it one: `linux-x86_64`."""
    return f"{platform.system()}-{platform.machine()}".lower()[:LONGEST_CLASS]
