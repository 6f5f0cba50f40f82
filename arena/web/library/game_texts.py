"""What is written about a game, in `docs/games/<slug>.toml`: `lead`, six `rules`, which of them are the `short` ones,
three `boards` (a position by its moves or by its text), what each protocol counts its `columns` from.

A game without that file has a page and invitations all the same.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext

import games
from arena import paths
from arena.match.said import said
from arena.web.drawing import artist
from arena.web.words import spoken
from games import Game, Position

FOLDER = paths.FILES / "docs" / "games"


class GameText(NamedTuple):
    """What is written about a game; `boards` are small pictures with their words, `columns` by protocol, `short` those
    of the rules (from 1) that an invitation tells.
    """

    lead: str
    rules: tuple[str, ...]
    boards: tuple[tuple[SafeString, str], ...]
    counts: str
    columns: dict[str, str]
    short: tuple[int, ...] = ()

    def in_words(self) -> GameText:
        """In the language that is spoken now; the pictures say nothing."""
        return GameText(
            spoken(self.lead),
            tuple(gettext(rule) for rule in self.rules),
            tuple((picture, spoken(words)) for picture, words in self.boards),
            spoken(self.counts),
            {slug: gettext(columns) for slug, columns in self.columns.items()},
            self.short,
        )

    def in_brief(self) -> tuple[str, ...]:
        """The rules that whoever does not know the game needs to begin, in the language that is spoken now."""
        return tuple(gettext(self.rules[n - 1]) for n in self.short)


@cache
def text_of(game: Game) -> GameText:
    """What is written about a game, in English; for one without a file, its first position and nothing else."""
    path = FOLDER / f"{game.slug}.toml"
    written: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    boards = [(_position(board), board["words"]) for board in written.get("boards", [])]
    boards = boards or [(game.variants[0].start(), said("The first position."))]
    draw = artist(game.slug).mini
    return GameText(
        written.get("lead", said("{game}, for two.", game=game.title)),
        tuple(written.get("rules", ())),
        tuple((draw(position), words) for position, words in boards),
        written.get("counts", ""),
        written.get("columns", {}),
        tuple(written.get("short", ())),
    )


def _position(board: dict[str, Any]) -> Position:
    """A board of the file. Raises ValueError or IllegalMove for what no match can reach."""
    variant = games.variant(board["variant"])
    if "position" in board:
        return variant.parse(board["position"])
    position = variant.start(**board.get("settings", {}))
    for move in board["moves"].split():
        position = position.play(move)
    return position
