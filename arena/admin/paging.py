"""Pages of lists, without counting what nobody turns to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator

# Nobody turns twenty pages; counting a million rows costs more than all else on the page.
MOST_COUNTED = 2000


class AtLeast(int):
    """A number of rows that was not counted to its end."""

    def __str__(self) -> str:
        return f"more than {int(self):d}"


if TYPE_CHECKING:
    _OfRows = Paginator[Any]  # generic in its stubs only
else:
    _OfRows = Paginator


class BoundedPaginator(_OfRows):
    """Counts `MOST_COUNTED` rows and no more; what lies behind them is found by filters and search."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        some = rows.order_by().values("pk")[: MOST_COUNTED + 1]
        number: int = some.count()
        return number if number <= MOST_COUNTED else AtLeast(MOST_COUNTED)
