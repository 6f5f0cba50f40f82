"""The texts about a game, in `docs/games/<slug>.toml`: `lead`, six `rules`, the numbers of the `short` ones, three
`boards`, and the first number of the `columns` in each protocol. A game may have none.
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
    """The texts about a game; `boards` are small pictures with captions, `columns` are by protocol, `short` are the
    numbers (from 1) of the rules in an invitation.
    """

    lead: str
    rules: tuple[str, ...]
    boards: tuple[tuple[SafeString, str], ...]
    counts: str
    columns: dict[str, str]
    short: tuple[int, ...] = ()

    def in_words(self) -> GameText:
        """The texts in the current language; the pictures have no words."""
        return GameText(
            spoken(self.lead),
            tuple(gettext(rule) for rule in self.rules),
            tuple((picture, spoken(words)) for picture, words in self.boards),
            spoken(self.counts),
            {slug: gettext(columns) for slug, columns in self.columns.items()},
            self.short,
        )

    def in_brief(self) -> tuple[str, ...]:
        """The rules that a newcomer needs to begin, in the current language."""
        return tuple(gettext(self.rules[n - 1]) for n in self.short)


@cache
def text_of(game: Game) -> GameText:
    """The texts about a game, in English; for one without a file, only its first position."""
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
    """A board of the file. Raises ValueError or IllegalMove for a position that no match can reach."""
    variant = games.variant(board["variant"])
    if "position" in board:
        return variant.parse(board["position"])
    position = variant.start(**board.get("settings", {}))
    for move in board["moves"].split():
        position = position.play(move)
    return position
