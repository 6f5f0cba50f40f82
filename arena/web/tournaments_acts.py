"""What organisers and players do with a tournament: start, pause, call, withdraw, play again, decide, enter.

Every act is a POST that answers with the page of the tournament, or says in words why nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Entry, Pairing, Tournament
from arena.tournaments import acts
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from arena.web import tournaments_entrants as entrants
from arena.web.guests import player_of, visitor_of
from arena.web.limits import Limit
from arena.web.tournaments import found
from arena.web.tournaments_rights import Rights
from arena.web.views import page, view

State = Tournament.State
BY_NAME: dict[str, Callable[[Tournament, str], None]] = {
    "open": acts.open_for_entries,
    "start": acts.start,
    "gather": acts.start_when_here,
    "pause": acts.pause,
    "resume": acts.resume,
    "call": acts.call_missing,
    "delete": acts.delete,
}
ENTRIES = Limit("new entries", 60, 1.0)
LONGEST_REASON = 200


class Leaving(NamedTuple):
    """Who can be withdrawn, and what that does."""

    seed: int
    name: str
    says: str


@view("POST", hosted=False)
async def act(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One of `BY_NAME`."""
    if name not in BY_NAME:
        raise Http404(f"{name[:20]!r} is nothing that can be done: expected one of {', '.join(BY_NAME)}.")
    sheet, rights = await _organised(request, slug)
    await sync_to_async(BY_NAME[name])(sheet.tournament, rights.actor)
    return HttpResponseRedirect("/t/" if name == "delete" else f"/t/{slug}/")


@view("GET", "POST", hosted=False)
async def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Who may be taken out by whoever asks, and what it does to what has been played."""
    sheet, rights = await found(request, slug)
    if (await visitor_of(request)).account is None:
        return HttpResponseRedirect(f"/login/?next=/t/{slug}/withdraw/")
    mine = [entry for pk, entry in sheet.entries.items() if rights.organises or pk in rights.entries]
    if not mine:
        raise Refusal("not_yours", "None of your bots takes part here, and neither do you. Nothing was done.")
    if request.method == "POST":
        entry = _entry(sheet, request.POST.get("entry", ""))
        if entry not in mine:
            raise Refusal("not_yours", f"{entry.name} is not yours to withdraw. Nothing was done.")
        await sync_to_async(acts.withdraw)(sheet.tournament, entry, rights.actor)
        return HttpResponseRedirect(f"/t/{slug}/")
    there = [each for each in mine if each.withdrawn is None and sheet.tournament.state != State.FINISHED]
    leaving = [Leaving(each.seed, each.name, acts.withdrawal_says(sheet, each)) for each in there]
    return await page(request, "arena/tournament_withdraw.html", {"tournament": sheet.tournament, "leaving": leaving})


@view("POST", hosted=False)
async def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Play a pairing once more; the old one stays on record."""
    sheet, rights = await _organised(request, slug)
    pairing = await _pairing(sheet, request.POST.get("pairing", ""))
    await sync_to_async(acts.rerun)(pairing, _reason(request), rights.actor)
    return HttpResponseRedirect(_encounter(pairing))


@view("POST", hosted=False)
async def award(request: HttpRequest, slug: str) -> HttpResponse:
    """Decide without a match what nobody has played: `to` is a, b, both or drop."""
    sheet, rights = await _organised(request, slug)
    pairing = await _pairing(sheet, request.POST.get("pairing", ""))
    await sync_to_async(acts.award)(pairing, request.POST.get("to", "")[:20], _reason(request), rights.actor)
    return HttpResponseRedirect(_encounter(pairing))


@view("GET", "POST")
async def enter(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    """One's own bots and oneself while it is open for entries; whoever runs it enters anybody, also late."""
    sheet, rights = await found(request, slug)
    visitor = await visitor_of(request)
    if visitor.account is None:
        return HttpResponseRedirect(f"/login/?next=/t/{slug}/enter/")
    _must_be_open(sheet, rights)
    owner = None if rights.organises else visitor.account
    choices = await sync_to_async(entrants.choices)(sheet.tournament.variant, owner)
    taken = {entry.player_id for entry in sheet.entries.values()}
    if request.method == "POST":
        ENTRIES.check(request)
        return await _entered(request, sheet, rights, choices)
    context = {
        "tournament": sheet.tournament,
        "choices": [choice for choice in choices if choice.player is None or choice.player not in taken],
        "me": visitor.name,
        "here": visitor.player is not None and visitor.player in taken,
        "asked": [entry for entry in _own(sheet, rights) if entry.kind == Entry.Kind.PERSON and not entry.agrees],
        "bots": any(entry.kind != Entry.Kind.PERSON for entry in sheet.entries.values()),
        "rights": rights,
    }
    return await page(request, "arena/tournament_enter.html", context)


async def _entered(request: HttpRequest, sheet: Sheet, rights: Rights, choices: list[entrants.Choice]) -> HttpResponse:
    who, agrees = request.POST.get("who", ""), request.POST.get("agrees") == "on"
    if who == "agree":
        for entry in _own(sheet, rights):
            await sync_to_async(acts.agree)(entry)
    elif who == "me":
        player = await player_of(request)
        spec = EntrySpec(player.name, "person", player=player.pk, agrees=agrees)
        await sync_to_async(acts.enter)(sheet.tournament, spec, rights.actor)
    else:
        chosen = next((choice for choice in choices if choice.value == who), None)
        if chosen is None:
            expected = "me or one of the bots in the list"
            raise Refusal("invalid_form", f"Received {who[:40]!r}, expected {expected}. Nothing was done.")
        await sync_to_async(acts.enter)(sheet.tournament, chosen.spec(), rights.actor)
    return HttpResponseRedirect(f"/t/{sheet.tournament.slug}/")


def _must_be_open(sheet: Sheet, rights: Rights) -> None:
    state = sheet.tournament.state
    if state == State.FINISHED:
        raise Refusal("finished", f"{sheet.tournament.name} is over.")
    if state != State.WAITING and not rights.organises:
        raise Refusal("not_open", f"{sheet.tournament.name} has begun: its organiser can still let you in.")


# -- found -------------------------------------------------------------------------------------------------------------


async def _organised(request: HttpRequest, slug: str) -> tuple[Sheet, Rights]:
    sheet, rights = await found(request, slug)
    if not rights.organises:
        raise Refusal("not_yours", f"Only the organiser of {sheet.tournament.name} and staff do that.")
    return sheet, rights


def _own(sheet: Sheet, rights: Rights) -> list[Entry]:
    return [sheet.entries[pk] for pk in rights.entries]


def _entry(sheet: Sheet, text: str) -> Entry:
    for entry in sheet.entries.values():
        if str(entry.seed) == text:
            return entry
    raise Refusal("invalid_form", f"Received the entry {text[:20]!r}, expected the number of one that takes part.")


async def _pairing(sheet: Sheet, text: str) -> Pairing:
    if any(str(line.pk) == text for line in sheet.lines):
        return await Pairing.objects.select_related("tournament", "a", "b").aget(pk=int(text))
    raise Refusal("invalid_form", f"Received the pairing {text[:20]!r}, expected one that stands in the table.")


def _encounter(pairing: Pairing) -> str:
    seeds = f"{pairing.a.seed}/{pairing.b.seed}/" if pairing.b else ""
    return f"/t/{pairing.tournament.slug}/{seeds}"


def _reason(request: HttpRequest) -> str:
    reason = " ".join(request.POST.get("reason", "").split())
    if len(reason) > LONGEST_REASON:
        said = f"Received a reason of {len(reason)} letters, expected at most {LONGEST_REASON}. Nothing was done."
        raise Refusal("invalid_form", said)
    return reason
