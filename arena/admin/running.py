from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Host


@admin.register(Host)
class HostAdmin(Record):
    list_display = ("holder", "epoch", "expires")
