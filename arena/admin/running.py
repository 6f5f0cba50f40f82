from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Handed, Lease


@admin.register(Lease)
class LeaseAdmin(Record):
    list_display = ("name", "holder", "epoch", "expires")


@admin.register(Handed)
class HandedAdmin(Record):
    list_display = ("match", "at", "answer")
    exclude = ("log",)
