"""Laws of every artist over every variant: any board can be drawn, and every legal move can be clicked."""

from __future__ import annotations

import random
import re

import pytest

import games
from arena import paths
from arena.web.drawing import Choice, View, artist
from arena.web.system.static_files import one_sheet
from tests.web import markup

SLUGS = [variant.slug for variant in games.variants()]


def _positions(slug: str) -> list[games.Position]:
    rng = random.Random(slug)
    position = games.variant(slug).start()
    found = [position]
    while position.outcome() is None and len(found) < 60:
        position = position.play(rng.choice(position.legal_moves()))
        found.append(position)
    return found[:: max(1, len(found) // 8)] + found[-1:]


def _moves_on_offer(view: View, game: str, chosen: tuple[str, ...] = ()) -> set[str]:
    """Follow every step as someone who clicks would."""
    drawn = artist(game).controls(view, Choice(0, True, chosen))
    moves = _parts(drawn)
    for button in markup.buttons(drawn):
        if button.get("name") == "move":
            moves.add(button["value"])
        if button.get("name") == "sel" and len(button["value"].split(",")) > len(chosen):
            moves |= _moves_on_offer(view, game, tuple(button["value"].split(",")))
    return moves


def _parts(drawn: str) -> set[str]:
    """The moves that are sent in parts: one of the radios or a number, and a box that may be ticked."""
    fields = [
        each.attributes for each in markup.read(drawn) if each.tag == "input" and "disabled" not in each.attributes
    ]
    amounts = [field["value"] for field in fields if field["type"] == "radio"]
    for field in fields:
        if field["type"] == "number":
            amounts += [str(n) for n in range(int(field["min"]), int(field["max"]) + 1)]
    boxes = ["", *(field["value"] for field in fields if field["type"] == "checkbox")]
    return {amount + box for amount in amounts for box in boxes}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_legal_move_can_be_clicked_and_nothing_else(slug: str) -> None:
    for position in _positions(slug):
        view = View(position)
        assert _moves_on_offer(view, games.variant(slug).game) == set(position.legal_moves())


@pytest.mark.parametrize("slug", SLUGS)
def test_every_position_is_drawn_as_sound_markup(slug: str) -> None:
    draws = artist(games.variant(slug).game)
    for position in _positions(slug):
        view = View(position, title="A & B")
        drawn = [
            draws.defs(position),
            draws.pieces(view),
            draws.mini(position),
            f"<table>{draws.reader(view)}</table>",
        ]
        assert [element.tag for element in markup.read("".join(drawn))].count("svg") >= 2
        assert markup.by_id(drawn[1], "pieces").attributes["aria-label"].startswith("A & B")


@pytest.mark.parametrize("slug", SLUGS)
def test_every_piece_carries_the_mark_of_its_seat_also_in_a_list(slug: str) -> None:
    """A disc `#d0`, a small one `#t0`, a worker from the side `#q01` or above `#v01`: its shape says its seat."""
    draws = artist(games.variant(slug).game)
    for position in _positions(slug):
        board = position.board()
        seats = sorted(cell.seat for row in board.rows for cell in row if cell.seat is not None)
        for drawn in (draws.pieces(View(position)), draws.mini(position)):
            used = [element.attributes["href"] for element in markup.read(drawn) if element.tag == "use"]
            pieces: dict[str, list[int]] = {}
            for href in used:
                if re.fullmatch(r"#(d|t|q|v)\d+", href):
                    pieces.setdefault(href[1], []).append(int(href[2]))
            assert all(sorted(found) == seats for found in pieces.values()) and bool(pieces) == bool(seats)


@pytest.mark.parametrize("slug", SLUGS)
def test_who_only_watches_or_waits_can_send_nothing(slug: str) -> None:
    draws, view = artist(games.variant(slug).game), View(games.variant(slug).start())
    assert draws.controls(view, Choice(None)) == ""
    drawn = draws.controls(view, Choice(1, enabled=False))
    for button in markup.buttons(drawn):
        assert button["type"] == "button" and button["aria-disabled"] == "true" and "name" not in button
    for field in (each.attributes for each in markup.read(drawn) if each.tag == "input"):
        assert field["form"] == "nobody", "it belongs to no form, so none sends it"


def _classes(drawn: str) -> set[str]:
    return set(" ".join(each.attributes.get("class", "") for each in markup.read(f"<div>{drawn}</div>")).split())


def _styled(*sheets: str) -> str:
    return "".join(one_sheet(paths.FILES / f"static/css/{name}.css") for name in ("arena", *sheets))


# Names of drawings that are told apart, but have one look.
NOT_STYLED = {"plate", "side", "above"}


@pytest.mark.parametrize("slug", SLUGS)
def test_a_picture_has_its_colours_on_every_page_that_shows_it(slug: str) -> None:
    draws, start = artist(games.variant(slug).game), games.variant(slug).start()
    whole, small, first = set[str](), set[str](), _classes(draws.defs(start) + draws.pieces(View(start)))
    for before in _positions(slug):
        for move in before.legal_moves()[:1]:
            after = before.play(move)
            whole |= _classes(draws.defs(after) + draws.pieces(View(after, move)))
            small |= _classes(draws.mini(after))
    shown = {kind + draws.SCRIPT: whole for kind in ("board", "match", "match-over", "study")}
    shown["room" + draws.SCRIPT] = first
    lists = dict.fromkeys(("more", "events", "board", "board-nim", "board-santorini", "study", "study-nim"), small)
    for name, classes in (*shown.items(), *lists.items()):
        css = _styled(name)
        assert {each for each in classes - NOT_STYLED if not re.search(rf"\.{each}\b(?!-)", css)} == set(), name
