"""Pages of lists, without counting rows that nobody will look at."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator

# Nobody turns twenty pages; counting a million rows costs more than everything else on the page.
MOST_COUNTED = 2000


class AtLeast(int):
    """A number of rows that was not counted to the end."""

    def __str__(self) -> str:
        return f"more than {int(self):d}"


if TYPE_CHECKING:
    _OfRows = Paginator[Any]  # generic in its stubs only
else:
    _OfRows = Paginator


class BoundedPaginator(_OfRows):
    """Counts at most `MOST_COUNTED` rows; later ones are found by filters and search."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        some = rows.order_by().values("pk")[: MOST_COUNTED + 1]
        number: int = some.count()
        return number if number <= MOST_COUNTED else AtLeast(MOST_COUNTED)
