"""The lobby as it changes: each view is rendered once for all readers while somebody looks, at most twice a second, and
sent when the result differs: no list of causes can lack one.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

from channels.db import database_sync_to_async
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

import games
from arena.bots.builtin.exhibition import Show
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.web import languages
from arena.web.elsewhere import of_the_host
from arena.web.lobby import showcase
from arena.web.puzzles import puzzles

log = logging.getLogger("arena.web")

EVERY_S = 0.5
# A match is shown at least this long, even if a better one begins.
SHOWN_S = 20.0
# Ratings and tables change only when a match ends.
POINTS_KEPT_S = 20.0
TABLE_KEPT_S = 5.0

HOME = "home"
WALL = "watch"


_card_of_today = database_sync_to_async(puzzles.card_of_today, thread_sensitive=False)
_running_tournament = database_sync_to_async(showcase.running_tournament, thread_sensitive=False)


class FeedReader(Protocol):
    def wake(self) -> None: ...


class Feed(ABC):
    """Views that are rendered once for all their readers, and only while they have some. `texts` are the newest
    messages by the name of their view, `renders` counts how often it was rendered.
    """

    def __init__(self, host: Host) -> None:
        self.texts: dict[str, str] = {}
        self.renders: Counter[str] = Counter()
        self.host = host
        self._readers: dict[str, set[FeedReader]] = {}
        self._task: asyncio.Task[None] | None = None

    def view(self, reader: FeedReader, name: str) -> None:
        """Wake this reader when the view with this name changes."""
        self._readers.setdefault(name, set()).add(reader)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._go_on())

    def unview(self, reader: FeedReader, name: str) -> None:
        """Remove a reader; a view without readers is no longer rendered."""
        readers = self._readers.get(name, set())
        readers.discard(reader)
        if not readers:
            self._readers.pop(name, None)
            self.texts.pop(name, None)
        if not self._readers and self._task is not None:
            self._task.cancel()
            self._task = None

    @abstractmethod
    async def _go_on(self) -> None:
        """Look every `EVERY_S` what has changed, and tell it."""

    def _tell(self, name: str, text: str) -> None:
        """Wake the readers of this view, which was rendered as `text`, if that is new."""
        self.renders[name] += 1
        if name in self._readers and text != self.texts.get(name):
            self.texts[name] = text
            for reader in self._readers[name]:
                reader.wake()


class LobbyFeed(Feed):
    """The views of the lobby: `HOME` or one of `wall_of`, in a language."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._shown: LiveMatch | None = None
        self._shown_since = 0.0
        self._points: showcase.Points = {}
        self._points_at = self._table_at = float("-inf")
        self._tournament: showcase.RunningTournament | None = None
        self._last: LiveMatch | None = None
        self._dailies: dict[str | None, dict[str, Any] | None] = {}  # by language

    def view(self, reader: FeedReader, name: str) -> None:
        super().view(reader, name)
        if len(self._readers[name]) == 1:
            self._render(name)

    async def lobby(self) -> dict[str, Any]:
        """Parts of the home page: `featured` (the last match if none runs), `exhibition`,
        `lives`, `total`, `rooms`, `tournament`, and `daily`, the card of today's puzzle."""
        await self._look_up()
        return {**self._lobby(), "daily": await self._daily()}

    async def wall(self, game: str) -> dict[str, Any]:
        """The parts of the wall, of one game or of all of them for ""."""
        await self._look_up()
        return self._wall(game)

    def _lobby(self) -> dict[str, Any]:
        lives = showcase.public(self.host, self._points)
        shown = self._choose(lives) or self._last
        show = self._exhibition(HOME, "", lives)
        others = [live for live in lives if live is not shown][: showcase.MOST_LIVES]
        return {
            "featured": showcase.featured(self.host, shown) if shown else None,
            "exhibition": showcase.exhibited(show) if show and shown is self._last else None,
            "lives": [showcase.mini(live) for live in others],
            "total": len(lives),
            "rooms": showcase.waiting(self.host),
            "tournament": self._tournament and showcase.told(self._tournament),
        }

    def _wall(self, game: str) -> dict[str, Any]:
        found = showcase.wall(showcase.public(self.host, self._points), game)
        show = self._exhibition(wall_of(game), game, found["matches"])
        return {**found, "exhibition": show and showcase.exhibited(show)}

    async def _daily(self) -> dict[str, Any] | None:
        """The card in the reader's language: its two queries were a sixth of a home page."""
        language = translation.get_language()
        if language not in self._dailies:
            self._dailies[language] = await _card_of_today()
        return self._dailies[language]

    def _exhibition(self, view: str, game: str, lives: Sequence[Any]) -> Show | None:
        """The exhibition, if there is nothing else and somebody watches; it makes way for the first real match."""
        if lives:
            self.host.exhibitions.stop(game)
        elif settings.ARENA_EXHIBITIONS and any(languages.view_of(name)[0] == view for name in self._readers):
            return self.host.exhibitions.of(game)
        return None

    def _choose(self, lives: list[LiveMatch]) -> LiveMatch | None:
        """The match of the large card: the one chosen by staff, else one that stays for `SHOWN_S`, and then until it is
        over or a better one is played.
        """
        now = asyncio.get_running_loop().time()
        if self.host.hub.featured in lives:
            self._shown, self._shown_since = self.host.hub.featured, now
            return self._shown
        shown, best = self._shown, lives[0] if lives else None
        if shown is not None and now - self._shown_since < SHOWN_S:
            return shown
        if shown is None or shown not in lives or (best and self._is_better(best, shown)):
            self._shown, self._shown_since = best, now
        return self._shown

    def _is_better(self, best: LiveMatch, shown: LiveMatch) -> bool:
        """Whether it is better: a match near its end is not replaced, and being newer is not enough."""
        better = showcase.worth(best, self._points)[:2] > showcase.worth(shown, self._points)[:2]
        return better and not showcase.is_nearly_over(shown)

    async def _look_up(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._points_at >= POINTS_KEPT_S:
            self._points_at = now
            self._points = await showcase.points_of(self.host.hub.running())
        if now - self._table_at >= TABLE_KEPT_S:
            self._table_at = now
            self._dailies.clear()
            self._tournament = await _running_tournament()
            self._last = await showcase.last_match(self.host, self._last)

    async def _go_on(self) -> None:
        while self._readers:
            await asyncio.sleep(EVERY_S)
            try:
                await self._look_up()
                for name in list(self._readers):
                    self._render(name)
            except Exception:
                log.exception("the lobby could not be rendered")

    def _render(self, name: str) -> None:
        view, language = languages.view_of(name)
        with translation.override(language):
            text = self._drawn(view)
        self._tell(name, text)

    def _drawn(self, name: str) -> str:
        if name == HOME:
            return render_to_string("arena/fragments/lobby.html", {**self._lobby(), "oob": True})
        game = name.removeprefix(WALL).lstrip("/")
        return render_to_string("arena/fragments/wall.html", {**self._wall(game), "game": game, "oob": True})


def wall_of(game: str) -> str:
    """The name of the wall's view for this game; for "" or an unknown game, that of all games."""
    return f"{WALL}/{game}" if game in (each.slug for each in games.games()) else WALL


@of_the_host
async def lobby(host: Host) -> dict[str, Any]:
    """See `LobbyFeed.lobby`."""
    return await of(host).lobby()


@of_the_host
async def wall(host: Host, game: str) -> dict[str, Any]:
    """See `LobbyFeed.wall`."""
    return await of(host).wall(game)


@lru_cache(maxsize=1)
def of(host: Host) -> LobbyFeed:
    """The feed of this host; that of an earlier one is let go."""
    return LobbyFeed(host)
