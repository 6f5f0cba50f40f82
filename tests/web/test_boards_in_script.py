"""The boards that a browser draws by itself are those that the server draws, character for character."""

from __future__ import annotations

import pytest

import games
from arena.web.drawing import Choice, View, artist
from tests.kit.scripts import ask, walks

pytestmark = pytest.mark.long


@pytest.mark.cases(2)
@pytest.mark.parametrize("variant", games.variants(), ids=lambda variant: variant.slug)
def test_random_matches_look_the_same_in_the_browser(variant: games.Variant) -> None:
    draws, jobs, expected = artist(variant.game), [], []
    for walk in walks(variant.slug, 6, seed=9):
        for ply, position in enumerate(walk.positions):
            last = walk.moves[ply - 1] if ply else None
            view = View(position, last, variant.title)
            pieces = draws.pieces(view)
            choice = Choice(position.ply % 2, position.to_move is not None)
            jobs.append(walk.job("draw", ply, title=variant.title))
            said = f"{draws.named(last)}; {draws.subject(last)}" if last else ""
            expected.append([pieces, draws.controls(view, choice), f"<table>{draws.reader(view)}</table>", said])
    for job, (found, wanted) in zip(jobs, zip(ask(jobs), expected, strict=True), strict=True):
        assert found == wanted, job
