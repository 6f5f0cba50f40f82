"""No two tournaments have one address, whoever makes them at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from django.db import connection, transaction

from arena.tournaments import actions
from tests.kit.deadline import DEADLINE_S
from tests.kit.tournaments import a_spec
from tests.kit.until import blocked_until
from tests.tournaments.rows import one_waits_for_another


@pytest.mark.service
def test_two_of_one_name_at_once_have_an_address_each(on_postgres: None) -> None:
    def made() -> str:
        with closing(connection):
            return str(actions.create(a_spec(2)).slug)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = actions.create(a_spec(2)).slug
            second = pool.submit(made)
            blocked_until(one_waits_for_another)
        assert (first, second.result(DEADLINE_S)) == ("spring-cup", "spring-cup-2")
