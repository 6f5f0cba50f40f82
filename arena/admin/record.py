"""A table that the admin shows and never writes, in time that does not grow with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from arena.admin.searching import Searched
from arena.web.guests import SEES_PRIVATE


class _NeverWritten:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def sees_private(request: HttpRequest) -> bool:
    return bool(request.user.has_perm(SEES_PRIVATE))


class Record(_NeverWritten, Searched):
    """Rows are added by the arena itself; staff read them, and what is private with the right to."""

    # Where it says whether a room is private, "" for what belongs to no room.
    private = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if not self.private or sees_private(request):
            return found
        return found.exclude(**{self.private: True})

    def is_part(self, request: HttpRequest) -> bool:
        return super().is_part(request) or bool(self.private and not sees_private(request))


class RawRecord(Record):
    """What only superusers read: rows about the server itself, and what people say and choose in private."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)


if TYPE_CHECKING:
    _Inline = admin.TabularInline[Any, Any]  # generic in its stubs only
else:
    _Inline = admin.TabularInline


class RecordInline(_NeverWritten, _Inline):
    extra = 0
    show_change_link = False
