"""No two tournaments have one address, whoever makes them at the same moment; their players have their new names."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from django.db import connection, transaction

from arena.models import Player
from arena.tournaments import actions, naming
from arena.tournaments.spec import EntrySpec
from tests.kit.deadline import DEADLINE_S
from tests.kit.tournaments import a_spec, builtins, sheet
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


@pytest.mark.django_db
def test_an_event_shows_the_new_name_of_a_player_and_the_old_one_may_enter_it_again() -> None:
    first = Player.objects.create(kind="bot", name="newton", slug="newton")
    made = actions.create(a_spec(entries=(EntrySpec("newton", "bot", player=first.pk), *builtins(2))))
    naming.renamed(first.pk, "gravity")
    found = sheet("spring-cup")
    assert list(found.names.values()) == ["gravity", "p1", "p2"]
    assert found.tournament.version > made.version, "its director and its pages read it again"
    second = Player.objects.create(kind="bot", name="newton", slug="newton-2")
    actions.enter(made, EntrySpec("newton", "bot", player=second.pk))
    naming.renamed(first.pk, "p2")
    assert list(sheet("spring-cup").names.values()) == ["gravity", "p1", "p2", "newton"], "another one is called so"
