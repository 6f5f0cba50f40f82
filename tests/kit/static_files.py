"""WhiteNoise that looks through the folders of static files once a process.

The server does that once. A client of Django's tests begins anew with all middleware: 15 ms of computing for each of
the hundreds of people and browsers of the tests.
"""

from __future__ import annotations

from django.conf import settings

from arena.web.system.static_files import ReadWhenAsked
from tests.kit.server import share_files

_found: dict[str, dict[str, str]] = {}


class ListedOnce(ReadWhenAsked):
    def add_files_from_finders(self) -> None:
        where = f"{settings.STATICFILES_DIRS} {settings.STATICFILES_FINDERS} {self.static_prefix} {self.max_age}"
        if where not in _found:
            share_files(settings.ARENA_DATA)  # a test without a database may be the first to look
            super().add_files_from_finders()
            _found[where] = dict(self.paths)
        self.paths.update(_found[where])
