"""Tournaments in the admin are read: what organisers do passes arena/tournaments/acts.py."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Entry, Pairing, Tournament


@admin.register(Tournament)
class TournamentAdmin(Record):
    list_display = ("name", "variant", "format", "state", "organiser", "created", "started", "finished")
    list_filter = ("state", "format", "variant")
    list_select_related = ("organiser",)
    finds = ("slug", "organiser__username")
    parts = ("name",)
    ordering = ("-id",)


@admin.register(Entry)
class EntryAdmin(Record):
    list_display = ("tournament", "seed", "name", "kind", "player", "level", "protocol", "late", "withdrawn")
    list_filter = ("kind", "protocol")
    list_select_related = ("tournament", "player")
    finds = ("tournament__slug", "player__slug")
    parts = ("name",)
    ordering = ("-id",)


@admin.register(Pairing)
class PairingAdmin(Record):
    list_display = ("tournament", "round", "number", "leg", "attempt", "a", "b", "state", "faults", "calls", "reason")
    list_filter = ("state",)
    list_select_related = ("tournament", "a", "b")
    finds = ("tournament__slug",)
    parts = ("a__name", "b__name")
    ordering = ("-id",)
