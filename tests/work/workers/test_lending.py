"""A desk has a lender once its work is lent; what that does is told in test_lender.py."""

from __future__ import annotations

import pytest

from arena.work.desk import Desk
from arena.work.engine import LocalEngine
from arena.work.workers.lending import lend


@pytest.mark.django_db(transaction=True)
async def test_a_desk_lends_when_it_is_told_to() -> None:
    desk = Desk(LocalEngine(1, 0), {}, None, lambda: True, lambda run: None)
    assert desk.lender is None
    lend(desk, {}, None, lambda run: None)
    assert desk.lender is not None
    await desk.close()
