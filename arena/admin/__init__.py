"""The Django admin of every table. Logs and results can only be read here."""

from __future__ import annotations

from django.contrib import admin

from arena.admin import (
    audit,
    bot,
    chat,
    match,
    player,
    room,
    tables,
    tournament,
    user,
    webhook,
    work,
)

__all__ = [
    "audit",
    "bot",
    "chat",
    "match",
    "player",
    "room",
    "tables",
    "tournament",
    "user",
    "webhook",
    "work",
]

admin.site.site_header = "Arena administration"
admin.site.site_title = "Arena administration"
admin.site.index_title = "Control room"
