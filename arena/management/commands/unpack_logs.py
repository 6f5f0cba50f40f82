"""`manage.py unpack_logs`: run this before installing an older release that cannot read packed logs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.core.packing import unpack_all
from arena.management.tables import check_tables


class Command(BaseCommand):
    help = (
        "Write the packed logs of matches that are over as rows again, for a release that cannot read them. "
        "Stop the server first, because it would pack them again."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        check_tables()
        logs, damaged = unpack_all()
        self.stdout.write(f"Unpacked {logs} {'log' if logs == 1 else 'logs'}.")
        if damaged:
            raise CommandError("\n".join(map(str, damaged)))
