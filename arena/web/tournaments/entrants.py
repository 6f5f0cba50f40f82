"""The players that can be entered into a tournament of a variant: built-in players, and bots with a protocol for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Case, OuterRef, Q, Subquery, When
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.common.numbers import whole_number
from arena.models import Bot, Player, Seat, Tournament
from arena.protocols import plays
from arena.tournaments import taking
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import MOST_ENTRIES, EntrySpec
from arena.web.entries import called
from arena.web.present import HostNow
from arena.web.words import ago, spoken, stored_name
from games.players import LEVELS

LONGEST_FIND = 60
# Of how many own bots is said what they are missing.
MOST_OWN = 20


class EntrantChoice(NamedTuple):
    """A player to tick: `value` is `builtin:club` or `bot:12`; `away`: since when it is not connected."""

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


def choices(
    variant: str,
    whose: Q,
    now: HostNow | None = None,
    ticked: Iterable[str] = (),
    *,
    find: str = "",
    builtin: bool = True,
) -> list[EntrantChoice]:
    """The bots to choose from, connected ones first, and with `builtin` the built-in players. Of more than can play in
    one event, `ticked` and connected ones are listed, of others those whose names hold `find`.
    """
    found = [_bot(bot, now) for bot in _bots(variant, whose, now, ticked, find) if plays(bot.protocol, variant)]
    levels = [_builtin(level) for level in LEVELS] if builtin else []
    return levels + sorted(found, key=lambda choice: bool(choice.away))


def find_in(sent: QueryDict) -> str:
    """The part of a name by which bots are looked for."""
    return sent.get("find", "")[:LONGEST_FIND].strip()


def to_find(choices: Iterable[EntrantChoice], find: str) -> str | None:
    """What is in the field that finds bots by name; None if all of them are listed."""
    return find if find or sum(choice.player is not None for choice in choices) >= MOST_ENTRIES else None


def quarantined(account: int | None, variant: str) -> list[Bot]:
    """This account's own bots that play it and cannot be chosen now."""
    shut = Bot.objects.filter(owner=account, owner__isnull=False, variant=variant, quarantined__isnull=False)
    return list(shut.select_related("player").order_by("player__name"))


def asked(sheet: Sheet, account: int | None, organises: bool) -> dict[str, Any]:
    """What the event asks of those who enter, what this account's own bots and its person are missing, and for its
    organiser who takes part without meeting it.
    """
    conditions, variant = taking.conditions_of(sheet.tournament), sheet.tournament.variant
    is_closed = sheet.tournament.state == Tournament.State.FINISHED or (sheet.lines and not organises)
    if not any(conditions) or is_closed:
        return {}
    taken = {entry.player_id for entry in sheet.entries.values() if entry.player_id}
    own = Q(user=account) | Q(bot__owner=account, bot__variant=variant, bot__enabled=True)
    mine = Player.objects.filter(own).exclude(pk__in=taken).order_by("kind", "name")[:MOST_OWN]
    players = list(mine) if account else []
    lacks = taking.unmet(conditions, variant, {each.pk for each in players})
    stay = taking.unmet_in(sheet) if organises and not sheet.lines else {}
    return {
        "asks": [spoken(each) for each in taking.asked(conditions)],
        "unmet": [(each.name, spoken(lacks[each.pk])) for each in players if each.pk in lacks],
        "staying": [(sheet.names[pk], spoken(why)) for pk, why in stay.items()],
    }


def _builtin(level: str) -> EntrantChoice:
    return EntrantChoice(f"builtin:{level}", stored_name(level), "", "", level=level)


def _bot(bot: Bot, now: HostNow | None) -> EntrantChoice:
    here = bot.command is not None or (now is not None and bot.pk in now.online)
    left = now.left.get(bot.pk) if now is not None else None
    last = left or getattr(bot, "last", None)
    seen = _("last seen {when}").format(when=ago(last, timezone.now())) if last else _("never seen")
    kept = {"player": bot.pk, "protocol": bot.protocol, "variant": bot.variant}
    if bot.command is not None:
        lacks = now is not None and bot.pk in now.lacking
        what = _("cannot be started") if lacks else _("started by this server")
    else:
        what = _("connected") if here else ""
    return EntrantChoice(f"bot:{bot.pk}", bot.player.name, what, "" if here else seen, **kept)


def _bots(variant: str, whose: Q, now: HostNow | None, ticked: Iterable[str], find: str) -> list[Bot]:
    """By name; at most `MOST_ENTRIES`."""
    numbers = [number for value in ticked if (number := whole_number(value.removeprefix("bot:")))]
    here = Q(command__isnull=False) | Q(pk__in=now.online if now is not None else ())
    matters = Case(When(pk__in=numbers, then=2), When(here, then=1), default=0)
    newest = Seat.objects.filter(player=OuterRef("pk"), match__started__isnull=False).order_by("-id")
    last = Subquery(newest.values("match__started")[:1])
    named = Q(player__name__icontains=find) | Q(pk__in=numbers)
    bots = Bot.objects.filter(whose, named, enabled=True, variant=variant).select_related("player").annotate(last=last)
    found = bots.alias(matters=matters).order_by("-matters", "player__slug")[:MOST_ENTRIES]
    return sorted(found, key=lambda bot: bot.player.slug)
