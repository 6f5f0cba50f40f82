"""Pages of lists, without counting what nobody turns to."""

from __future__ import annotations

from functools import cached_property

from django.core.paginator import Paginator

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
