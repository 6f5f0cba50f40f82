"""By default nothing is lent; with an engine a desk's lender is there, on a real server (test_lender.py)."""

from __future__ import annotations

import pytest
from django.test import override_settings

from arena.work.desk import Desk
from arena.work.engine import LocalEngine
from arena.work.workers.lending import lend


@pytest.mark.django_db(transaction=True)
async def test_nothing_is_lent_where_no_engine_is_named() -> None:
    desk = Desk(LocalEngine(1, 0), {}, None, lambda: True, lambda run: None)
    with override_settings(ARENA_ENGINE=""):
        lend(desk, {}, None, lambda run: None)
    assert desk.lender is None
    await desk.close()
