"""Acts of organisers and players on a tournament: start, pause, call, withdraw, play again, decide, enter.

Every act is a POST; the answer is the page of the tournament, or the reason why nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.common.numbers import whole_number
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Entry, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from arena.web.asked import reason_in
from arena.web.entries import called
from arena.web.guests import account_of, player_of, visitor_of
from arena.web.limits import Limit
from arena.web.present import HostNow, present
from arena.web.privacy import keep_private
from arena.web.tournaments import entrants, sentences
from arena.web.tournaments.rights import Rights, callable_by, may_come_back
from arena.web.tournaments.tournaments import found
from arena.web.views import page, view
from arena.web.words import spoken, title_of

State = Tournament.State
BY_NAME: dict[str, Callable[[Tournament, str], None]] = {
    "open": actions.open_for_entries,
    "start": actions.start,
    "gather": actions.start_when_here,
    "pause": actions.pause,
    "resume": actions.resume,
    "call": actions.call_missing,
    "rate": actions.allow_rating,
    "publish": actions.publish,
    "delete": actions.delete,
}
LEAVING: dict[str, Callable[[Tournament, Entry, str], None]] = {
    "withdraw": leaving.withdraw,
    "undo": leaving.undo_withdrawal,
    "take-back": leaving.take_back,
}
ENTRIES = Limit("new entries", 60, 1.0)


class Leaving(NamedTuple):
    """An entry that can be withdrawn, and the effect."""

    pk: int
    name: str
    says: str


@view("POST", hosted=False)
async def act(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One of `BY_NAME`."""
    await do(request, slug, name)
    return HttpResponseRedirect("/t/" if name == "delete" else f"/t/{slug}/")


async def do(request: HttpRequest, slug: str, name: str) -> Tournament:
    """Do an organiser's act on the whole event. Raises Http404 for a name not in `BY_NAME`, and Refusal."""
    if name not in BY_NAME:
        said = _("{what} is not something that can be done: expected one of {known}.")
        raise Http404(said.format(what=repr(name[:20]), known=", ".join(BY_NAME)))
    sheet, rights = await organised(request, slug)
    if name == "rate" and not rights.staff:
        raise Refusal("not_yours", "Only staff let an event change ratings. Nothing was done.")
    await sync_to_async(BY_NAME[name])(sheet.tournament, rights.actor)
    return sheet.tournament


@view("GET", "POST", hosted=False)
async def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """The entries that may be withdrawn, with the effect on their matches, and those that can be brought back."""
    keep_private(request)
    sheet, rights = await found(request, slug)
    await account_of(request)
    if request.method == "POST":
        await leave(request, sheet, rights, request.POST.get("entry", ""), request.POST.get("act", "withdraw"))
        return HttpResponseRedirect(f"/t/{slug}/")
    return await page(request, "arena/tournament_withdraw.html", _leaving(sentences.spoken_sheet(sheet), rights))


async def leave(
    request: HttpRequest, sheet: Sheet, rights: Rights, number: str, act: str, *, by_seed: bool = False
) -> None:
    """Do one of `LEAVING` with the entry of this number. A page, which may be old, does not say its seed: before the
    start that may be another entry's by now. Raises Refusal.
    """
    mine, entry = _own_to_leave(sheet, rights), entry_of(sheet, number, by_seed)
    if act not in LEAVING:
        said = _("Received {what}, expected one of {known}. Nothing was done.")
        raise Refusal("invalid_form", said.format(what=repr(act[:20]), known=", ".join(LEAVING)))
    if entry not in mine:
        said = _("{name} is not yours, so you cannot withdraw it. Nothing was changed.")
        raise Refusal("not_yours", said.format(name=entry.name))
    if act != "withdraw" and not rights.organises:
        raise Refusal(
            "not_yours", _("Only the organiser can bring {name} back. Nothing was done.").format(name=entry.name)
        )
    account = (await visitor_of(request)).account
    if act != "withdraw" and not await sync_to_async(may_come_back)(entry, account, rights.staff):
        said = _("{name} is not open to your events: its owner can enter it. Nothing was done.")
        raise Refusal("not_yours", said.format(name=entry.name))
    await sync_to_async(LEAVING[act])(sheet.tournament, entry, rights.actor)


def _own_to_leave(sheet: Sheet, rights: Rights) -> list[Entry]:
    """The entries that this visitor may withdraw. Raises Refusal if there are none."""
    mine = [entry for pk, entry in sheet.entries.items() if rights.organises or pk in rights.entries]
    if not mine:
        raise Refusal("not_yours", "None of your bots takes part here, and neither do you. Nothing was done.")
    return mine


def _leaving(sheet: Sheet, rights: Rights) -> dict[str, Any]:
    """The entries that can leave, those that can be brought back, and the effect of each."""
    mine = _own_to_leave(sheet, rights)
    there = [each for each in mine if each.withdrawn is None and sheet.tournament.state != State.FINISHED]
    left = [each for each in mine if rights.organises and each.withdrawn is not None]
    given_up = [each for each in mine if rights.organises and leaving.may_be_taken_back(each)]
    return {
        "tournament": sheet.tournament,
        "leaving": [Leaving(each.pk, each.name, spoken(leaving.withdrawal_says(sheet, each))) for each in there],
        "left": [(each.pk, each.name, spoken(leaving.why_it_stays(sheet, each))) for each in left],
        "given_up": [(each.pk, each.name, sentences.given_up(sheet, each)) for each in given_up],
    }


@view("GET", "POST", hosted=False)
async def seeds(request: HttpRequest, slug: str) -> HttpResponse:
    """The order of the entries, before the start: `seed-3` is the new number of the entry 3."""
    sheet, rights = await organised(request, slug)
    wrong = ""
    if request.method == "POST":
        order, wrong = _reordered(sheet, request)
        if not wrong:
            await sync_to_async(actions.seed)(sheet.tournament, order, rights.actor)
            return HttpResponseRedirect(f"/t/{slug}/")
    entries = [(each.pk, called(each), request.POST.get(f"seed-{each.pk}", each.seed)) for each in _by_seed(sheet)]
    context = {"tournament": sheet.tournament, "entries": entries, "begun": bool(sheet.lines), "wrong": wrong}
    return await page(request, "arena/tournament_seeds.html", context, 422 if wrong else 200)


def _reordered(sheet: Sheet, request: HttpRequest) -> tuple[list[int], str]:
    """The entries in the order of the typed numbers, and what is wrong with these."""
    numbers: dict[int, int] = {}
    for entry in _by_seed(sheet):
        typed = request.POST.get(f"seed-{entry.pk}", "").strip()
        number = whole_number(typed, most=9999)
        if number is None:
            said = _("Received the seed {what} for {name}, expected a whole number from 1.")
            return [], said.format(what=repr(typed[:20]), name=entry.name)
        if number in numbers.values():
            return [], _("Two players have the seed {n}: give each a number of its own.").format(n=number)
        numbers[entry.pk] = number
    return sorted(numbers, key=numbers.__getitem__), ""


def _by_seed(sheet: Sheet) -> list[Entry]:
    return sorted(sheet.entries.values(), key=lambda entry: entry.seed)


@view("POST", hosted=False)
async def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Play a pairing once more; the old one stays on record."""
    pairing, reason, actor = await _pairing(request, slug)
    await sync_to_async(actions.rerun)(pairing, reason, actor)
    return HttpResponseRedirect(_encounter(pairing))


@view("POST", hosted=False)
async def award(request: HttpRequest, slug: str) -> HttpResponse:
    """Decide a pairing that nobody has played: `to` is a, b, draw, both or drop."""
    pairing, reason, actor = await _pairing(request, slug)
    await sync_to_async(actions.award)(pairing, request.POST.get("to", "")[:20], reason, actor)
    return HttpResponseRedirect(_encounter(pairing))


async def _pairing(request: HttpRequest, slug: str) -> tuple[Pairing, str, str]:
    """The pairing that a form names, with the reason and the actor."""
    sheet, rights = await organised(request, slug)
    pairing = await pairing_of(sheet, request.POST.get("pairing", ""))
    return pairing, reason_in(request.POST.get("reason", ""), actions.LONGEST_REASON), rights.actor


@view("GET", "POST", rows=True)
async def enter(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    """Enter one's own bots and oneself while it is open for entries; the organiser can enter anybody, even late."""
    keep_private(request)
    sheet, rights = await found(request, slug)
    await account_of(request)
    visitor = await visitor_of(request)
    if request.method == "POST":
        if request.POST.get("who") == "agree":
            _must_be_open(sheet, rights)
            for entry in _own(sheet, rights):
                await sync_to_async(actions.agree)(entry)
        else:
            agrees = request.POST.get("agrees") == "on"
            await enter_one(request, sheet, rights, request.POST.get("who", ""), agrees)
        return HttpResponseRedirect(f"/t/{sheet.tournament.slug}/")
    find = entrants.find_in(request.GET)
    choices = await _choices(request, sheet, rights, await present(host), find=find)
    taken = {entry.player_id for entry in sheet.entries.values()}
    context = {
        "tournament": sheet.tournament,
        "game": title_of(sheet.tournament.variant),
        "choices": [choice for choice in choices if choice.player is None or choice.player not in taken],
        "find": entrants.to_find(choices, find),
        "quarantined": await sync_to_async(entrants.quarantined)(visitor.account, sheet.tournament.variant),
        "me": visitor.name,
        "here": visitor.player is not None and visitor.player in taken,
        "asked": [entry for entry in _own(sheet, rights) if entry.kind == Entry.Kind.PERSON and not entry.agrees],
        "bots": any(entry.kind != Entry.Kind.PERSON for entry in sheet.entries.values()),
        "rights": rights,
        **await sync_to_async(entrants.asked)(sheet, visitor.account, rights.organises),
    }
    return await page(request, "arena/tournament_enter.html", context)


async def enter_one(request: HttpRequest, sheet: Sheet, rights: Rights, who: str, agrees: bool) -> Entry:
    """Enter `me` or one of the choices; `agrees`: a person who agrees to play bots. Raises Refusal."""
    choices = await _choices(request, sheet, rights, ticked=[who])
    ENTRIES.check(request)
    if who == "me":
        player = await player_of(request)
        spec = EntrySpec(player.name, "person", player=player.pk, agrees=agrees)
    else:
        chosen = next((choice for choice in choices if choice.value == who), None)
        if chosen is None:
            said = _("Received {what}, expected me or one of the bots in the list. Nothing was done.")
            raise Refusal("invalid_form", said.format(what=repr(who[:40])))
        spec = chosen.spec()
    return await sync_to_async(actions.enter)(sheet.tournament, spec, rights.actor)


async def _choices(
    request: HttpRequest,
    sheet: Sheet,
    rights: Rights,
    now: HostNow | None = None,
    ticked: Iterable[str] = (),
    find: str = "",
) -> list[entrants.EntrantChoice]:
    """The bots that this visitor may enter. Raises Refusal if entries are closed."""
    _must_be_open(sheet, rights)
    account = (await visitor_of(request)).account
    whose = callable_by(account, rights.staff) if rights.organises else Q(owner=account)
    of = partial(entrants.choices, find=find, builtin=rights.organises)
    return await sync_to_async(of)(sheet.tournament.variant, whose, now, ticked)


def _must_be_open(sheet: Sheet, rights: Rights) -> None:
    state = sheet.tournament.state
    if state == State.FINISHED:
        raise Refusal("finished", _("{event} is over.").format(event=sheet.tournament.name))
    if state != State.WAITING and not rights.organises:
        said = _("{event} has begun: its organiser can still let you in.")
        raise Refusal("not_open", said.format(event=sheet.tournament.name))


# -- found -------------------------------------------------------------------------------------------------------------


async def organised(request: HttpRequest, slug: str) -> tuple[Sheet, Rights]:
    sheet, rights = await found(request, slug)
    if not rights.organises:
        said = _("Only the organiser of {event} and staff may do that.")
        raise Refusal("not_yours", said.format(event=sheet.tournament.name))
    keep_private(request)
    return sheet, rights


def _own(sheet: Sheet, rights: Rights) -> list[Entry]:
    return [sheet.entries[pk] for pk in rights.entries]


def entry_of(sheet: Sheet, text: str, by_seed: bool) -> Entry:
    for entry in sheet.entries.values():
        if str(entry.seed if by_seed else entry.pk) == text:
            return entry
    raise Refusal(
        "invalid_form",
        _("Received the entry {what}, expected the number of one that takes part.").format(what=repr(text[:20])),
    )


async def pairing_of(sheet: Sheet, text: str) -> Pairing:
    """Also one that somebody has replaced since the page was made: its act says so. Raises Refusal."""
    if any(str(line.pk) == text for line in (*sheet.lines, *sheet.replaced)):
        return await Pairing.objects.select_related("tournament", "a", "b").aget(pk=int(text))
    raise Refusal(
        "invalid_form",
        _("Received the pairing {what}, expected one from the table.").format(what=repr(text[:20])),
    )


def _encounter(pairing: Pairing) -> str:
    seeds = f"{pairing.a.seed}/{pairing.b.seed}/" if pairing.b else ""
    return f"/t/{pairing.tournament.slug}/{seeds}"
