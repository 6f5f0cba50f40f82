"""The players that can be entered into a tournament of a variant: built-in players, and bots with a protocol for it."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.bots.failure import departures
from arena.bots.session import tokens
from arena.models import Bot, Seat
from arena.protocols import plays
from arena.tournaments.spec import EntrySpec
from arena.web.entries import called
from arena.web.words import ago, stored_name
from games.players import LEVELS

MOST_BOTS = 100


class EntrantChoice(NamedTuple):
    """A player that can be ticked: `value` is `builtin:club` or `bot:12`. `away` says since when it has not been
    connected.
    """

    value: str
    name: str
    what: str
    away: str
    level: str = ""
    player: int | None = None
    protocol: str = ""
    variant: str = ""

    @property
    def label(self) -> str:
        return called(self.spec())

    def spec(self) -> EntrySpec:
        kind = "builtin" if self.level else "bot"
        return EntrySpec(self.name, kind, self.level, self.protocol, player=self.player, variant=self.variant)


def choices(variant: str, whose: Q, builtin: bool = True) -> list[EntrantChoice]:
    """The bots to choose from and, with `builtin`, the built-in players. Connected bots come first."""
    bots = Bot.objects.filter(whose, enabled=True, variant=variant).select_related("player")
    found = [_bot(bot) for bot in _with_last_match(bots) if plays(bot.protocol, variant)]
    levels = [_builtin(level) for level in LEVELS] if builtin else []
    return levels + sorted(found, key=lambda choice: bool(choice.away))


def _builtin(level: str) -> EntrantChoice:
    return EntrantChoice(f"builtin:{level}", stored_name(level), "", "", level=level)


def _bot(bot: Bot) -> EntrantChoice:
    here = bot.command is not None or bool(tokens.connections_of(bot.pk))
    gone = departures.of(bot.pk)
    last = gone.at if gone is not None else getattr(bot, "last", None)
    seen = _("last seen {when}").format(when=ago(last, timezone.now())) if last else _("never seen")
    kept = {"player": bot.pk, "protocol": bot.protocol, "variant": bot.variant}
    what = _("started by this server") if bot.command is not None else _("connected") if here else ""
    return EntrantChoice(f"bot:{bot.pk}", bot.player.name, what, "" if here else seen, **kept)


def _with_last_match(bots: QuerySet[Bot]) -> QuerySet[Bot]:
    newest = Seat.objects.filter(player=OuterRef("pk"), match__started__isnull=False).order_by("-id")
    last = Subquery(newest.values("match__started")[:1])
    return bots.annotate(last=last).order_by("player__slug")[:MOST_BOTS]
