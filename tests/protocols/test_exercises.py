"""For each protocol: the conversation ends with a request, and the answers mean the moves they stand for."""

from __future__ import annotations

import re

import pytest

import games
from arena.protocols import protocol, protocols
from arena.protocols.adapter import Adapter, BotMove, Joined, Seated, Started, Turn
from arena.protocols.exercises import Exercise, exercise
from games import Position


def course(slug: str, moves: int = 7) -> tuple[str, list[tuple[Position, str]]]:
    variant = (protocol(slug).variants or ("connect-four-7x6",))[0]
    position = games.variant(variant).start()
    played = [(position, "")]
    for _ in range(moves):
        legal = position.legal_moves()
        move = legal[position.ply % len(legal)]
        position = position.play(move)
        played.append((position, move))
    return variant, played


def an_exercise(slug: str, right: int = 2) -> tuple[Exercise, list[str]]:
    variant, played = course(slug)
    moves = list(played[-1][0].legal_moves()[:right])
    return exercise(slug, variant, {}, played, moves), moves


@pytest.mark.parametrize("slug", protocols())
def test_it_ends_with_what_asks_for_a_move_and_the_answers_are_those_moves(slug: str) -> None:
    found, moves = an_exercise(slug)
    told = "".join(said for sender, said in found.wire if sender == "arena")
    assert re.search(protocol(slug).asks, told.encode(errors="surrogateescape"))
    assert found.wire[-1].sender == "arena"
    adapter = protocol(slug)()
    for sender, said in found.wire:
        if sender == "bot":
            adapter.receive_data(said.encode(errors="surrogateescape"))
    assert None not in found.answers and len(set(found.answers)) == len(moves)


def test_who_is_told_only_moves_is_told_the_match_from_its_start() -> None:
    slugs = [slug for slug in protocols() if not protocol(slug).tells_positions]
    assert slugs
    for slug in slugs:
        found, _ = an_exercise(slug)
        _, played = course(slug)
        own = [said for sender, said in found.wire if sender == "bot"][len(protocol(slug).greeting) :]
        mine = [(before, move) for (before, _), (_, move) in zip(played, played[1:], strict=False) if before.ply % 2]
        assert own == [protocol(slug)().answer_to(before, move) for before, move in mine]


@pytest.mark.parametrize("moves", [3, 7])  # of Santorini the fourth worker, and a turn
@pytest.mark.parametrize("slug", protocols())
def test_an_answer_is_read_as_its_move(slug: str, moves: int) -> None:
    variant, played = course(slug, moves)
    position = played[-1][0]
    for move in position.legal_moves():
        found = exercise(slug, variant, {}, played, [move])
        adapter = at(slug, position)
        assert found.answers[0] is not None
        adapter.receive_data(found.answers[0].encode())
        assert adapter.events_received() == [BotMove(move)]


def at(slug: str, position: Position) -> Adapter:
    """A bot that is asked for its move here."""
    adapter = protocol(slug)()
    for greeting in protocol(slug).greeting:
        adapter.receive_data(greeting)
    for event in (Joined("room"), Seated(1, "you", "other", "none"), Started(position), Turn(position)):
        adapter.send(event)
        while adapter.deadline is not None and adapter.deadline.name in ("ack", "pause"):
            if adapter.deadline.name == "ack":
                adapter.receive_data(b'"OK"\n')
            else:
                adapter.tick("pause")
    adapter.events_received()
    return adapter
