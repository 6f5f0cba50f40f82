"""A table that the admin shows and never writes, in time that does not grow with it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest

# Nobody turns twenty pages; counting a million rows costs more than all else on the page.
MOST_COUNTED = 2000


class AtLeast(int):
    """A number of rows that was not counted to its end."""

    def __str__(self) -> str:
        return f"more than {int(self):d}"


class BoundedPaginator(Paginator):
    """Counts `MOST_COUNTED` rows and no more; what lies behind them is found by filters and search."""

    @cached_property
    def count(self) -> int:
        some = self.object_list.order_by().values("pk")[: MOST_COUNTED + 1]
        number = some.count()
        return number if number <= MOST_COUNTED else AtLeast(MOST_COUNTED)


class _NeverWritten:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Record(_NeverWritten, admin.ModelAdmin):
    """Rows are added by the arena itself; staff read them."""

    paginator = BoundedPaginator
    # Counting a log of millions a second time, only to say "of how many", costs more than it tells.
    show_full_result_count = False
    # Sorting by a column without an index reads the whole table.
    sortable_by: tuple[str, ...] = ()
    show_facets = admin.ShowFacets.NEVER


class RecordInline(_NeverWritten, admin.TabularInline):
    extra = 0
    show_change_link = False
