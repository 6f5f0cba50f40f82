"""The account of this machine that gives an order by a command, for the audit."""

from __future__ import annotations

import getpass
import os


def this_account() -> str:
    """Its name, or its number where it has none, as in a container that runs under any number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
