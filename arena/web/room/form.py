"""The form of a new room: the choices, which of them are impossible and why, and the choices that a cookie keeps for
the next time.

A side is written `me`, `anyone`, `builtin:club`, `socket:droidcon`, `bot:12` or `command:12` (the number of a player).
One form serves the page, the dialog and browsers that run no script. What is impossible is decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.db.models import Case, Q, When
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

import games
from arena.analysis.verdicts import why_not_adjudicated
from arena.bots.seats.choices import SideChoice, why_not
from arena.common.numbers import whole_number
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.models import Bot
from arena.protocols import facts_of, plays, protocol, protocols
from arena.web.present import HostNow
from arena.web.words import capital, clock_title, spoken, title, title_of
from games import Variant
from games.players import LEVELS as EVERY_LEVEL

COOKIE, COOKIE_S = "room", 365 * 24 * 3600
PATH = "/r/new/"
CLOCKS = ("1s", "5s", "move:30s", "2m", "5m", "none")
# Any other clock is written beside this choice.
OTHER = "other"
ROUNDS = ("1", "2", "4")
PACES = {"watchable": (gettext_noop("Watchable, 0.7 s a move"), 700), "full": (gettext_noop("Full speed"), 0)}
OFFERS = {"friendly": gettext_noop("In friendly matches"), "on": gettext_noop("Always"), "off": gettext_noop("Never")}
HELD = ("0", "4", "8", "12", "20")
FIELDS = {
    "rounds": gettext_noop("rounds"),
    "pace": gettext_noop("pace"),
    "offers": gettext_noop("offers"),
    "adjudicate": gettext_noop("adjudicate"),
}
CHOICES: dict[str, Iterable[str]] = {"rounds": ROUNDS, "pace": PACES, "offers": OFFERS, "adjudicate": HELD}
# `private` and `rated` are boxes: an unticked one sends no field.
DEFAULTS = {
    "variant": "",
    "side0": "me",
    "side1": "anyone",
    "rounds": "",
    "clock": "",
    "clock_text": "",
    "pace": "watchable",
    "offers": "friendly",
    "adjudicate": "0",
}
BOXES = ("rated", "private")
# The game and sides for which clock and rounds were proposed, so that others get a new proposal.
PROPOSED = "proposed"
# The part of a name, for those that have more bots to choose from than are listed.
FIND = "find"
MOST_BOTS = 50
LONGEST = 120
SWAPPED = {"side0": "side1", "side1": "side0"}


class Named(NamedTuple):
    """A registered bot that can be chosen, unless it is in quarantine. `command`: this server runs it."""

    player: int
    name: str
    variant: str
    command: bool
    protocol: str
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class RoomForm:
    """The contents of the form. `bots` are those that this visitor may choose, `person` says whether they have an
    account.

    `judged_by`: the clock that sides are judged by; a new room's follows them. `clocks`: by protocol, of `serve`.
    `lacking` are the bots that this server runs and cannot start; they can be chosen, because whoever sends the form
    may have mended them.
    """

    said: Mapping[str, str]
    bots: tuple[Named, ...]
    person: bool
    judged_by: str = "5s"
    clocks: Mapping[str, str] = field(default_factory=dict)
    lacking: frozenset[int] = frozenset()

    @property
    def variant(self) -> Variant:
        return next((each for each in games.variants() if each.slug == self.said["variant"]), games.variants()[0])

    @property
    def sides(self) -> tuple[str, str]:
        return self.said["side0"], self.said["side1"]

    @property
    def find(self) -> str | None:
        """The part of a name that was asked for; None if all bots are listed."""
        asked = self.said.get(FIND, "")
        return asked if asked or len(self.bots) >= MOST_BOTS else None

    @property
    def has_bot(self) -> bool:
        return any(side.partition(":")[0] in ("bot", "socket", "command") for side in self.sides)

    @property
    def needs_link(self) -> bool:
        """Whether somebody has yet to come: a person who gets the link, or a bot that gets an address."""
        return any(side.partition(":")[0] in ("anyone", "socket") for side in self.sides)

    @property
    def is_rated(self) -> bool:
        return "rated" in self.said


# -- from a request and back ------------------------------------------------------------------------------------------


async def form_of(request: HttpRequest, now: HostNow) -> RoomForm:
    """The posted form as it is; otherwise the values in the address, over the last choice, over the defaults."""
    said = dict(DEFAULTS)
    if request.method == "POST":
        said["pace"] = "full"  # unless somebody says otherwise, nobody is watching
        said |= _known(request.POST.dict())
        said |= {name: said[other] for name, other in SWAPPED.items()} if "swap" in request.POST else {}
    else:
        said |= _known(dict(parse_qsl(request.COOKIES.get(COOKIE, "")[:1000]))) | _known(request.GET.dict())
    form = replace(await with_bots(request, said), clocks=now.clocks, lacking=now.lacking)
    return form if request.method == "POST" and not only_looks(request) else possible(form)


async def form_in(request: HttpRequest, variant: str, clock: str, *sides: str) -> RoomForm:
    """The choices for a side of an existing room, whose own are `sides`."""
    said = {**DEFAULTS, "variant": variant, "clock": clock, FIND: request.GET.get(FIND, "")[:LONGEST]}
    return replace(await with_bots(request, said, request.POST.get("who", ""), *sides), judged_by=clock)


async def with_bots(request: HttpRequest, said: Mapping[str, str], *more: str) -> RoomForm:
    user: Any = await request.auser()
    asked = [side.partition(":")[2] for side in (said["side0"], said["side1"], *more)]
    numbers = [number for number in map(whole_number, asked) if number is not None]
    bots = await _bots(user, numbers, said.get(FIND, "").strip())
    return RoomForm(said, bots, user.is_authenticated)


def keep(response: HttpResponse, form: RoomForm) -> None:
    """The last choice, for the form only; bots are chosen again each time, because they come and go."""
    kept = {name: value for name, value in form.said.items() if name not in (PROPOSED, FIND)}
    said = {name: value for name, value in kept.items() if not value.startswith(("bot:", "command:"))}
    response.set_cookie(COOKIE, urlencode(said), max_age=COOKIE_S, path=PATH, samesite="Lax", httponly=True)


def _known(fields: Mapping[str, str]) -> dict[str, str]:
    known = {*DEFAULTS, *BOXES, PROPOSED, FIND}
    return {name: value[:LONGEST] for name, value in fields.items() if name in known}


def sent(request: HttpRequest, known: Mapping[str, Collection[str]]) -> dict[str, str]:
    """What was sent for these fields. Raises Refusal unless each is one of its known values."""
    for name, allowed in known.items():
        if (text := request.POST.get(name, "")) not in allowed:
            words = _("Received {name} {what}, expected {known}.")
            raise Refusal("invalid_form", words.format(name=name, what=repr(text[:40]), known=", ".join(allowed)))
    return {name: request.POST[name] for name in known}


def only_looks(request: HttpRequest) -> bool:
    """Whether the form was posted only to see what becomes possible."""
    return "look" in request.POST or "swap" in request.POST


async def _bots(user: Any, asked: list[int], find: str) -> tuple[Named, ...]:
    """The visitor's own bots and those that this server runs, as far as their names hold `find`, and those that a link
    asks for, by name. Of too many bots those that are asked for are listed, then the visitor's own.
    """
    own = Q(owner=user.pk, owner__isnull=False)
    listed = (own | Q(command__isnull=False)) & Q(player__name__icontains=find)
    rows = Bot.objects.filter(listed | Q(pk__in=asked), Q(enabled=True) | own & Q(quarantined__isnull=False))
    matters = Case(When(pk__in=asked, then=2), When(own, then=1), default=0)
    found = rows.select_related("player").alias(matters=matters).order_by("-matters", "player__name")[:MOST_BOTS]
    return tuple(sorted([_named(row) async for row in found], key=lambda bot: bot.name))


def _named(row: Bot) -> Named:
    return Named(row.pk, row.player.name, row.variant, row.command is not None, row.protocol, not row.enabled)


# -- what can be chosen -----------------------------------------------------------------------------------------------


def possible(form: RoomForm) -> RoomForm:
    """The same form with everything impossible replaced by defaults, as after a new choice of the game."""
    said = dict(form.said)
    said["variant"] = form.variant.slug
    for name in ("side0", "side1"):
        if why_no_side(replace(form, said=said), said[name]) is not None:
            said[name] = DEFAULTS[name]
    if said["side0"] == said["side1"] == "me":
        said["side1"] = "anyone"
    settled = replace(form, said=said)
    _propose_again(settled, said)
    _settle_clock(settled, said)
    for name, known in CHOICES.items():
        said[name] = said[name] if said[name] in known else (DEFAULTS[name] or usual_rounds(settled))
    if why_not_rated(settled):
        said.pop("rated", None)
    if why_not_adjudicated(settled.variant.slug):
        said["adjudicate"] = DEFAULTS["adjudicate"]
    return replace(form, said=said)


def _settle_clock(form: RoomForm, said: dict[str, str]) -> None:
    """Write out a clock that is not in the list, which a link or the last choice may ask for."""
    if said["clock"] == OTHER and not why_no_clock(form, said["clock_text"].strip()):
        return
    text = said["clock"]
    if why_no_such_clock(text) or why_no_clock(form, text):
        text = usual_clock(form)
    said["clock"], said["clock_text"] = (text, "") if text in CLOCKS else (OTHER, text)


def _propose_again(form: RoomForm, said: dict[str, str]) -> None:
    """Keep what was chosen, but not what was only proposed for other sides."""
    before = said.pop(PROPOSED, "").split(" ")
    if len(before) != 3 or before == proposed_for(form).split(" "):
        return
    other = replace(form, said={**said, **dict(zip(("variant", "side0", "side1"), before, strict=True))})
    said["clock"] = "" if said["clock"] == usual_clock(other) else said["clock"]
    said["rounds"] = "" if said["rounds"] == usual_rounds(other) else said["rounds"]


def proposed_for(form: RoomForm) -> str:
    """The game and the sides, in the form's own notation."""
    return " ".join((form.variant.slug, *form.sides))


def choice_of(text: str) -> SideChoice | None:
    """The side that this text names; None if it names none."""
    kind, _, what = text.partition(":")
    if kind in ("me", "anyone") and not what:
        return SideChoice(kind)
    if kind == "builtin" and what in EVERY_LEVEL:
        return SideChoice(kind, level=what)
    if kind == "socket" and what in protocols():
        return SideChoice(kind, protocol=what)
    player = whole_number(what)
    return SideChoice(kind, player=player) if kind in ("bot", "command") and player is not None else None


def why_no_side(form: RoomForm, text: str) -> str | None:
    """Why this cannot be on a side, None if it can."""
    choice, variant = choice_of(text), form.variant
    if choice is None:
        return _("Received {what}, expected one of the list.").format(what=repr(text[:40]))
    if choice.kind in ("bot", "command"):
        bot = next((bot for bot in form.bots if bot.player == choice.player), None)
        if bot is None:
            return _("This bot does not exist, or it is not yours.")
        if bot.quarantined:
            return _("It is in quarantine: its page says how that ends.")
        if bot.variant == variant.slug:
            return None
        return _("{name} plays {game} only.").format(name=bot.name, game=title(games.variant(bot.variant)))
    if choice.kind == "socket" and not plays(choice.protocol, variant.slug):
        known = _(" and ").join(title(games.variant(slug)) for slug in protocol(choice.protocol).variants)
        return _("It plays {games} only.").format(games=known)
    return spoken(why_not(variant.slug, form.judged_by, choice)) or None


def clock_text(said: Mapping[str, str]) -> str:
    """The clock that was chosen or typed."""
    return said["clock_text"].strip() if said["clock"] == OTHER else said["clock"]


def why_no_such_clock(text: str) -> str:
    """Why this is not a clock, "" if it is one."""
    try:
        parse_clock(text)
    except ValueError:
        said = _("Received the clock {what}, expected {known}, or another one such as 45s, 10m or 5m+3s.")
        return said.format(what=repr(text[:20]), known=", ".join(CLOCKS))
    return ""


def why_no_clock(form: RoomForm, text: str) -> str:
    if text == "1s" and set(form.sides) <= {"me", "anyone"}:
        return _("Only if a bot plays: a person needs more time.")
    return _("Only if no bot plays.") if text == "none" and form.has_bot else ""


def why_not_rated(form: RoomForm) -> str:
    """Why a match of these two cannot be rated, "" if it can."""
    kinds = {side.partition(":")[0] for side in form.sides}
    if "me" in kinds and not form.person:
        return _("You play as a guest: log in to play rated matches.")
    if kinds & {"builtin", "socket"}:
        return _("Both sides need an account or a registered bot.")
    return ""


def held_title(moves: str) -> str:
    """How long a proof has to hold, as a choice."""
    if moves == "0":
        return pgettext("proofs", "Never")
    return _("{n} moves").format(n=moves)


def why_played_out(variant: str) -> str:
    """Why no proof can end a match of this variant, "" if one can."""
    if not why_not_adjudicated(variant):
        return ""
    return capital(_("nothing can be proved of {game}: its matches are played to their end")).format(
        game=title_of(variant)
    )


def usual_clock(form: RoomForm) -> str:
    """The clock of the protocol on this server, if a side's protocol has one."""
    for side in form.sides:
        kind, _, slug = side.partition(":")
        clock = form.clocks.get(slug, facts_of(slug).clock)
        if kind == "socket" and clock != "none":
            return _same_clock(clock) or clock
    if form.has_bot:
        return "2m" if form.variant.game == "expanding-nim" else "move:30s"
    return "none"


def usual_rounds(form: RoomForm) -> str:
    """Four if a side's protocol plays four."""
    spoken = [side.partition(":")[2] for side in form.sides if side.startswith("socket:")]
    return "4" if any(facts_of(slug).rounds == 4 for slug in spoken) else "1"


def _same_clock(text: str) -> str:
    """The choice that means the same clock, "" if there is none."""
    return next((known for known in CLOCKS if known != "none" and parse_clock(known) == parse_clock(text)), "")


# -- what was sent ----------------------------------------------------------------------------------------------------


def errors(form: RoomForm) -> dict[str, str]:
    """What is wrong, by the name of the field; a posted form without errors can become a room."""
    said, wrong = form.said, dict[str, str]()
    if said["variant"] not in games.slugs():
        wrong["variant"] = _("Received the game {what}, expected one of the list.").format(
            what=repr(said["variant"][:40])
        )
    for name in ("side0", "side1"):
        if (why := why_no_side(form, said[name])) is not None:
            wrong[name] = why
    if form.sides == ("me", "me"):
        wrong["side1"] = _("You can sit on one side only.")
    clock = clock_text(said)
    if why := why_no_such_clock(clock):
        wrong["clock"] = why
    elif why := why_no_clock(form, clock):
        wrong["clock"] = _("{clock}: {why}").format(clock=clock_title(clock), why=f"{why[0].lower()}{why[1:]}")
    for name, known in CHOICES.items():
        if said[name] not in known:
            expected = _("Received the {field} {what}, expected {known}.")
            wrong[name] = expected.format(field=_(FIELDS[name]), what=repr(said[name][:20]), known=", ".join(known))
    if form.is_rated and (why := why_not_rated(form)):
        wrong["rated"] = why
    if said["adjudicate"] != "0" and "variant" not in wrong and (why := why_played_out(said["variant"])):
        wrong.setdefault("adjudicate", f"{why}.")
    return wrong


def fields(form: RoomForm) -> dict[str, Any]:
    """The columns of the room's row; the form has no errors."""
    said = form.said
    return {
        "variant": said["variant"],
        "clock": clock_text(said),
        "rounds": int(said["rounds"]),
        "pace_ms": PACES[said["pace"]][1],
        "rated": form.is_rated,
        "offers": said["offers"] == "on" or (said["offers"] == "friendly" and not form.is_rated),
        "adjudicate": int(said["adjudicate"]),
        "private": "private" in said,
    }
