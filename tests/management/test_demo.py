"""`manage.py demo`: real matches, once."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from arena.core.log_store import DatabaseStore
from arena.management.commands.demo import PAIRINGS
from arena.match.evolve import replay
from arena.models import Match


@pytest.mark.django_db(transaction=True)
def test_it_plays_one_match_of_each_pairing_and_only_once() -> None:
    call_command("demo", stdout=StringIO())
    matches = {match.variant: match for match in Match.objects.all()}
    assert set(matches) == {variant for variant, _, _ in PAIRINGS}
    for match in matches.values():
        state = replay(DatabaseStore().read(match.id))
        assert (state.termination, state.winner, state.position.ply) == ("normal", match.winner, match.plies)
    said = StringIO()
    call_command("demo", stdout=said)
    assert said.getvalue() == "Sample matches: none is added, as there are matches already.\n"
    assert Match.objects.count() == len(PAIRINGS)
