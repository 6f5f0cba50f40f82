from __future__ import annotations

from django.apps import AppConfig

from arena.cluster import reconnecting


class ArenaConfig(AppConfig):
    name = "arena"
    label = "arena"
    verbose_name = "Arena"

    def ready(self) -> None:
        reconnecting.install()
