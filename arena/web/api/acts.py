"""Acts of programs with a token: open rooms, enter and leave events, run them, by the functions of the pages."""

from __future__ import annotations

from dataclasses import replace

from asgiref.sync import sync_to_async
from django.http import HttpRequest

from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Bot, Match, Pairing, Tournament
from arena.tournaments import actions as tournament_actions
from arena.tournaments import setting_pairs
from arena.tournaments.sheet import Sheet
from arena.web.api import shapes
from arena.web.api.answers import api
from arena.web.api.writing import act
from arena.web.asked import reason_in
from arena.web.bearer import may
from arena.web.present import present
from arena.web.privacy import keep_private
from arena.web.room import form as room_form
from arena.web.room import rooms
from arena.web.tournaments import actions
from arena.web.tournaments.rights import Rights
from arena.web.tournaments.tournaments import found

# The names of the form's fields in the body.
NAMES = {"side0": "first", "side1": "second"}


# -- rooms -------------------------------------------------------------------------------------------------------------


@act("play", hosted=True, status=201)
async def open_room(request: HttpRequest, host: Host, said: shapes.OpenRoom) -> shapes.RoomShape:
    """Open a room; with a bot on a side it is challenged, and plays if it is here."""
    sides = {"side0": await _side(said["first"]), "side1": await _side(said["second"])}
    form = await _form(request, host, said, sides)
    if wrong := room_form.errors(form):
        words = " ".join(f"{NAMES.get(name, name)}: {why}" for name, why in wrong.items())
        raise Refusal("invalid_form", f"{words} Nothing was done.")
    opened = await rooms.open_room(request, host, room_form.fields(form), form.sides)
    return await _room(request, opened.plan.code)


async def _form(request: HttpRequest, host: Host, said: shapes.OpenRoom, sides: dict[str, str]) -> room_form.RoomForm:
    """The form: the given values over the defaults for these sides; any clock may be named."""
    chosen = {name: str(value) for name, value in said.items() if name in room_form.DEFAULTS}
    chosen |= {name: "on" for name in room_form.BOXES if said.get(name)}
    usual = {**room_form.DEFAULTS, "pace": "full"}
    form = await room_form.with_bots(request, {**usual, **chosen, **sides})
    form = replace(form, clocks=(await present(host)).clocks)
    clock = form.said["clock"] or room_form.usual_clock(form)
    written = clock not in room_form.CLOCKS
    settled = {
        "clock": room_form.OTHER if written else clock,
        "clock_text": clock if written else "",
        "rounds": form.said["rounds"] or room_form.usual_rounds(form),
    }
    return replace(form, said={**form.said, **settled})


@api()
async def room(request: HttpRequest, code: str) -> shapes.RoomShape:
    """A room, for anyone who has its code, and the match that is played in it."""
    return await _room(request, code)


async def _room(request: HttpRequest, code: str) -> shapes.RoomShape:
    row = await rooms.row_of(code)
    if row.private:
        keep_private(request)
    newest = Match.objects.filter(room=row).order_by("-series", "-round", "-opened")
    page = row.get_absolute_url()
    return {
        "code": row.shown_code,
        "variant": row.variant,
        "clock": row.clock,
        "rounds": row.rounds,
        "rated": row.rated,
        "private": row.private,
        "closed": row.closed is not None,
        "match": await newest.values_list("pk", flat=True).afirst(),
        "link": request.build_absolute_uri(page),
        "api": f"/api/rooms/{row.shown_code}/",
        "page": page,
    }


async def _side(text: str) -> str:
    """The side as the form writes it, with bots by the number of their player. Raises Refusal for an unknown bot."""
    kind, _, slug = text.partition(":")
    if kind != "bot":
        return text
    bot = await Bot.objects.filter(player__slug=slug.lower()).afirst()
    if bot is None:
        raise Refusal("invalid_form", f"There is no bot {slug[:64]!r}. /api/bots/ lists them. Nothing was done.")
    return f"{'bot' if bot.command is None else 'command'}:{bot.pk}"


# -- events ------------------------------------------------------------------------------------------------------------


@act("events", status=201)
async def enter(request: HttpRequest, said: shapes.Enter, slug: str) -> shapes.Entered:
    """Enter a bot or oneself; an organiser with that scope may also enter others."""
    sheet, rights = await _found(request, slug)
    kind, _, name = said["who"].partition(":")
    bot = await Bot.objects.filter(player__slug=name.lower()).afirst() if kind == "bot" else None
    who = f"bot:{bot.pk}" if bot else said["who"]
    entry = await actions.enter_one(request, sheet, rights, who, said.get("agrees", False))
    return {"seed": entry.seed, "name": entry.name, "api": f"/api/tournaments/{sheet.tournament.slug}/"}


@act("events")
async def withdraw(request: HttpRequest, said: shapes.Leave, slug: str) -> shapes.TournamentDone:
    """Withdraw one's own entry; an organiser with that scope may also withdraw those of others."""
    sheet, rights = await _found(request, slug)
    await actions.leave(request, sheet, rights, str(said["entry"]), said.get("act", "withdraw"), by_seed=True)
    return await _done(sheet.tournament)


async def _found(request: HttpRequest, slug: str) -> tuple[Sheet, Rights]:
    """The tournament, and the rights that account and token together have on it."""
    sheet, rights = await found(request, slug)
    return sheet, rights if may(request, "organise") else rights._replace(organises=False, staff=False)


@act("organise")
async def do(request: HttpRequest, said: shapes.NothingMore, slug: str, name: str) -> shapes.TournamentDone:
    """Open, start, gather, pause, resume, call, rate, publish or delete an event that one organises."""
    return await _done(await actions.do(request, slug, name))


@act("organise")
async def award(request: HttpRequest, said: shapes.Award, slug: str) -> shapes.TournamentDone:
    """Decide a pairing that nobody has played."""
    pairing, reason, actor = await _pairing(request, slug, said)
    await sync_to_async(tournament_actions.award)(pairing, said["to"], reason, actor)
    return await _done(pairing.tournament)


@act("organise")
async def again(request: HttpRequest, said: shapes.PlayAgain, slug: str) -> shapes.TournamentDone:
    """Play a pairing once more; the old one stays on record."""
    pairing, reason, actor = await _pairing(request, slug, said)
    await sync_to_async(tournament_actions.rerun)(pairing, reason, actor)
    return await _done(pairing.tournament)


@act("organise")
async def pairs(request: HttpRequest, said: shapes.SetPairs, slug: str) -> shapes.TournamentDone:
    """Keep two entries of a Swiss event apart, or set a pairing of its next round, or take that back."""
    sheet, rights = await actions.organised(request, slug)
    first, second = (actions.entry_of(sheet, str(seed), True) for seed in (said["first"], said["second"]))
    reason = reason_in(said["reason"], tournament_actions.LONGEST_REASON)
    pair = (first, second, reason, rights.actor, said.get("round"))
    await sync_to_async(setting_pairs.change)(sheet.tournament, said["act"], *pair)
    return await _done(sheet.tournament)


async def _pairing(request: HttpRequest, slug: str, said: shapes.PlayAgain) -> tuple[Pairing, str, str]:
    """The pairing at this place in the schedule, the reason, and the person who decides. Raises Refusal."""
    sheet, rights = await actions.organised(request, slug)
    place = (said["round"], said["number"], said.get("leg", 1))
    line = next((line for line in sheet.lines if (line.round, line.number, line.leg) == place), None)
    if line is None:
        words = f"Received round {place[0]}, number {place[1]}, leg {place[2]}: there is no such pairing."
        raise Refusal("invalid_form", f"{words} Nothing was done.")
    pairing = await actions.pairing_of(sheet, str(line.pk))
    return pairing, reason_in(said["reason"], tournament_actions.LONGEST_REASON), rights.actor


async def _done(tournament: Tournament) -> shapes.TournamentDone:
    now = await Tournament.objects.filter(slug=tournament.slug).values_list("state", flat=True).afirst()
    slug = tournament.slug
    return {"slug": slug, "state": now or "deleted", "api": f"/api/tournaments/{slug}/", "page": f"/t/{slug}/"}
