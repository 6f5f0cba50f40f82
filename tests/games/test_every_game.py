"""Laws that hold for every variant of every game, including games added later: hypothesis looks for an exception."""

from __future__ import annotations

import inspect
import pickle
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from games import IllegalMove, InvalidMove, Position, Setting, Variant

ROOT = Path(__file__).parents[2]
every_variant = pytest.mark.parametrize("variant", games.variants(), ids=lambda variant: variant.slug)
# The machine of a test may be busy: how long an example takes says nothing about the rules.
# `make fast` asks for fewer (tests/conftest.py).
many = settings(max_examples=min(60, settings().max_examples), deadline=None)
few = settings(max_examples=min(15, settings().max_examples), deadline=None)
# A playout of random moves is far shorter; no game may go on forever.
LONGEST = 2_000


@st.composite
def starts(draw: st.DrawFn, variant: Variant) -> Position:
    """A first position with settings from everywhere between their bounds."""
    return variant.start(**{setting.name: draw(values(setting)) for setting in variant.settings})


def values(setting: Setting) -> st.SearchStrategy[Any]:
    bounded = st.integers(setting.low, setting.high)
    return st.none() | bounded if setting.unlimited else bounded


@st.composite
def playouts(draw: st.DrawFn, variant: Variant) -> list[Position]:
    """All positions of a match, from the start to somewhere in the middle or to the end."""
    passed = [draw(starts(variant))]
    chance = Random(draw(st.integers()))
    for _ in range(draw(st.sampled_from([0, 1, 3, 5, 10, 20, 40, LONGEST]))):
        legal = passed[-1].legal_moves()
        if not legal:
            break
        passed.append(passed[-1].play(legal[chance.randrange(len(legal))]))
    return passed


def near_misses(move: str) -> list[str]:
    """Texts that a sloppy reader would take for `move`."""
    arabic = move.translate({ord("0") + digit: 0x660 + digit for digit in range(10)})
    around = [f" {move}", f"{move} ", f"{move}\n", f"\t{move}", f"{move}\0", f"+{move}", f"0{move}", f"{move}.0"]
    return [*around, arabic, move.upper(), move + move, f"{move},{move}", move[:-1], f"-{move}", f"'{move}'"]


def refuses(position: Position, text: str) -> bool:
    """Whether it says why, in words that other languages can say: only what was received is in the values."""
    try:
        position.play(text)
    except (InvalidMove, IllegalMove) as refusal:
        return bool(refusal.values) and refusal.template.format(**refusal.values) == str(refusal)
    return False


@every_variant
class TestLaws:
    @few
    @given(data=st.data())
    def test_a_playout_ends(self, variant: Variant, data: st.DataObject) -> None:
        position, chance = data.draw(starts(variant)), Random(data.draw(st.integers()))
        while legal := position.legal_moves():
            position = position.play(chance.choice(legal))
            assert position.ply < LONGEST
        assert position.outcome() is not None

    @many
    @given(data=st.data())
    def test_the_text_of_a_position_is_complete(self, variant: Variant, data: st.DataObject) -> None:
        for position in data.draw(playouts(variant)):
            text = str(position)
            again = variant.parse(text)
            assert again == position and hash(again) == hash(position) and str(again) == text
            assert "\n" not in text and len(text) < 120
            assert (again.ply, again.to_move) == (position.ply, position.to_move)
            assert again.legal_moves() == position.legal_moves() and again.outcome() == position.outcome()

    @many
    @given(data=st.data())
    def test_a_position_survives_the_way_to_another_process(self, variant: Variant, data: st.DataObject) -> None:
        position = data.draw(playouts(variant))[-1]
        assert pickle.loads(pickle.dumps(position)) == position

    @many
    @given(data=st.data())
    def test_there_are_legal_moves_and_a_seat_to_move_until_there_is_an_outcome(
        self, variant: Variant, data: st.DataObject
    ) -> None:
        for position in data.draw(playouts(variant)):
            outcome = position.outcome()
            assert bool(position.legal_moves()) == (outcome is None)
            assert (position.to_move in (0, 1)) == (outcome is None)
            assert outcome is None or (outcome.winner in (None, 0, 1) and outcome.reason)

    @many
    @given(data=st.data())
    def test_a_move_makes_a_new_position_and_leaves_the_old_one_alone(
        self, variant: Variant, data: st.DataObject
    ) -> None:
        passed = data.draw(playouts(variant))
        for ply, (before, after) in enumerate(pairwise(passed)):
            assert (before.ply, after.ply) == (ply, ply + 1)
            assert before != after
        for position in passed[-3:]:
            text, legal = str(position), position.legal_moves()
            for move in legal:
                position.play(move)
            assert str(position) == text and position.legal_moves() == legal

    @few
    @given(data=st.data())
    def test_what_follows_is_remembered_of_one_move_at_a_time(self, variant: Variant, data: st.DataObject) -> None:
        for position in data.draw(playouts(variant))[:-1]:
            for move in (position.legal_moves()[0], *position.legal_moves()[-2:]):
                assert position.after(move) == position.after(move) == position.play(move)
            assert refuses(position, "no move")
            with pytest.raises(InvalidMove):
                position.after("no move")

    @many
    @given(data=st.data())
    def test_legal_moves_differ_from_each_other_and_keep_their_order(
        self, variant: Variant, data: st.DataObject
    ) -> None:
        position = data.draw(playouts(variant))[-1]
        legal = position.legal_moves()
        assert len(set(legal)) == len(legal)
        assert variant.parse(str(position)).legal_moves() == legal
        assert all(0 < len(move) <= 20 and move.isascii() and move.isprintable() for move in legal)

    @many
    @given(data=st.data(), text=st.text())
    def test_every_text_that_is_not_a_legal_move_is_refused_with_a_reason(
        self, variant: Variant, data: st.DataObject, text: str
    ) -> None:
        passed = data.draw(playouts(variant))
        position, legal = passed[-1], passed[-1].legal_moves()
        # A move that was legal a moment ago is the mistake people and bots make most.
        likely = [*passed[max(len(passed) - 2, 0)].legal_moves(), "3", "8", "0", "c3", "b2-c1+d2", "999999999999"]
        for wrong in {text, "", *near_misses(data.draw(st.sampled_from(likely))), *likely} - set(legal):
            assert refuses(position, wrong), wrong

    @few
    @given(data=st.data())
    def test_the_board_offers_exactly_the_legal_moves(self, variant: Variant, data: st.DataObject) -> None:
        for position in data.draw(playouts(variant))[-5:]:
            board = position.board()
            cells = [cell for row in board.rows for cell in row]
            ids = {cell.id for cell in cells}
            assert tuple(board.choices) == position.legal_moves()
            assert all(path and all(path) for path in board.choices.values())
            assert len(set(board.choices.values())) == len(board.choices)
            assert len(ids) == len(cells) and set(board.marks) <= ids
            assert all(cell.seat in (None, 0, 1) and cell.label for cell in cells)

    @many
    @given(text=st.text())
    def test_a_text_that_is_no_position_is_refused_with_a_reason(self, variant: Variant, text: str) -> None:
        with pytest.raises(ValueError, match="received"):
            variant.parse(text)

    def test_an_unknown_setting_is_refused(self, variant: Variant) -> None:
        with pytest.raises(ValueError, match=f"{variant.slug} has no setting 'colour'"):
            variant.start(colour=1)


@pytest.mark.parametrize("game", games.games(), ids=lambda game: game.slug)
def test_every_game_has_its_test_file(game: games.Game) -> None:
    module = Path(inspect.getfile(type(game.variants[0].start())))
    if module.parent == ROOT / "games":
        assert (ROOT / "tests" / "games" / f"test_{module.stem}.py").is_file()
