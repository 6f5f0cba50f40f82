#!/usr/bin/env python
"""Every command of Arena: `manage.py serve`, `manage.py match`, `manage.py help`."""

from __future__ import annotations

import os
import sys


def play_alone(words: list[str]) -> None:
    """The runner plays one game without a server, and is over before Django could be loaded.

    Nothing is swept and taken down for so short a life: that would take as long as a quarter of the game.
    """
    import gc

    gc.disable()
    from arena.play.runner import main as runner

    status = runner(words)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    if sys.argv[1:2] == ["runner"]:
        play_alone(sys.argv[2:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import Error

    from arena.core.storage_watch import GOES_ON, cause_of

    try:
        assert settings.SECRET_KEY  # reads the settings now: some commands would stumble over something else first
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"arena: {error}")
    except Error as error:
        if (cause := cause_of(error)) is None:
            raise
        sys.exit(f"arena: {error}. {cause.words} {cause.todo.removesuffix(GOES_ON).strip()}")


if __name__ == "__main__":
    main()
