"""The lease of the host: on PostgreSQL a row says which of several processes referees, by the database's own clock.

It gives liveness, not safety: that nothing is decided twice is `unique(match, seq)`. Who finds the lease expired takes
it and goes on as after `kill -9`. Whoever could not renew it while the database was away goes on too, because nobody
else could take it either; whoever finds another holder in the row is the host no more.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from arena.models import Host

RENEW_S = 2.0
LASTS = timedelta(seconds=6)


class Lease:
    """The lease as one process sees it. All methods read or write the database: for a thread, not for the loop.

    They raise Django's database errors where it cannot be reached.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.epoch = 0

    def take(self) -> bool:
        """Become the host if there is none; whether that is so."""
        try:
            with _Closing(), transaction.atomic():
                free = Host.objects.filter(pk=1, expires__lt=Now())
                taken = free.update(holder=self.name, epoch=F("epoch") + 1, expires=Now() + LASTS)
                if not taken and not Host.objects.filter(pk=1).exists():
                    Host.objects.create(holder=self.name, expires=Now() + LASTS)
                    taken = 1
                if taken:
                    self.epoch = Host.objects.get(pk=1).epoch
                return bool(taken)
        except IntegrityError:
            return False

    def renew(self) -> bool:
        """Hold it longer; False when another process is the host now."""
        with _Closing():
            return bool(self._mine().update(expires=Now() + LASTS))

    def release(self) -> None:
        """Let the next one take it at once."""
        with _Closing():
            self._mine().update(expires=Now() - timedelta(seconds=1))

    def holder(self) -> str:
        """The name of the host, "" where there is none."""
        with _Closing():
            return Host.objects.filter(pk=1, expires__gte=Now()).values_list("holder", flat=True).first() or ""

    def _mine(self) -> QuerySet[Host]:
        return Host.objects.filter(pk=1, holder=self.name, epoch=self.epoch)


class _Closing:
    """Threads of a pool keep no connection: one that was broken by a restart of the database would stay broken."""

    def __enter__(self) -> None:
        connection.close_if_unusable_or_obsolete()

    def __exit__(self, *error: object) -> None:
        connection.close()
