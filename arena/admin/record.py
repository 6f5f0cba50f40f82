"""A table that the admin shows but never writes, in time that does not grow with its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import CharField, FloatField, JSONField, Model, PositiveSmallIntegerField, QuerySet
from django.http import HttpRequest

from arena.admin.searching import Searched
from arena.models.audit import in_words
from arena.web.guests import SEES_PRIVATE
from arena.web.words import COLOURS


def sees_private(request: HttpRequest) -> bool:
    return bool(request.user.has_perm(SEES_PRIVATE))


class Record(Searched):
    """Rows are added by the arena itself; staff read them, private ones only with the right to do so."""

    # The field that says whether its room is private, "" if it belongs to no room.
    private = ""
    # Whether `shown_with` says everything of interest in words: then the fields are folded away.
    told_in_words = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fieldsets that show JSON in words, and seats by their colours."""
        fields = [_in_words(self.opts.model, name) for name in self.get_fields(request, obj)]
        if self.told_in_words:
            return [("All fields", {"fields": fields, "classes": ("collapse",)})]
        return [(None, {"fields": fields})]

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [_in_words(self.opts.model, name) for name in super().get_list_display(request)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if not self.private or sees_private(request):
            return found
        return found.exclude(**{self.private: True})

    def is_part(self, request: HttpRequest) -> bool:
        return super().is_part(request) or bool(self.private and not sees_private(request))


def _in_words(model: type[Model], name: Any) -> Any:
    """The field with this name, or what is shown instead."""
    field = {each.name: each for each in model._meta.get_fields()}.get(name)
    words: Callable[[Any], str]
    if isinstance(field, JSONField):
        words = in_words
    elif isinstance(field, PositiveSmallIntegerField) and name in ("seat", "winner"):
        words = _colour
    elif isinstance(field, FloatField):
        words = _whole
    elif isinstance(field, CharField) and field.choices:
        words = _chosen(field)
    else:
        return name

    @admin.display(description=str(field.verbose_name))
    def shown(row: Model) -> str:
        return words(getattr(row, name))

    shown.__name__ = name
    return shown


def _chosen(field: CharField[str, str]) -> Callable[[str | None], str]:
    """The label of a choice. Django would ask for all choices again in each row."""
    labels = dict(field.flatchoices)
    return lambda value: str(labels.get(value, value or ""))


def _whole(points: float | None) -> str:
    """Points of a rating as every page shows them; no other number of a row is a float."""
    return "" if points is None else f"{points:.0f}"


def _colour(seat: int | None) -> str:
    return "" if seat is None else COLOURS[seat]


class RawRecord(Record):
    """Tables that only superusers read: rows about the server itself, and what people say and choose in private."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)
