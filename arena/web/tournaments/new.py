"""`/t/new/`: a tournament in five steps on one page, which works without a script as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

import games
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Tournament
from arena.tournaments import actions, sample
from arena.tournaments.spec import EntrySpec
from arena.web.asked import moment_in
from arena.web.guests import account_of, player_of, visitor_of
from arena.web.limits import Limit
from arena.web.present import present
from arena.web.tournaments import entrants
from arena.web.tournaments import form as forms
from arena.web.tournaments.rights import callable_by, is_staff
from arena.web.views import page, view
from arena.web.words import spoken
from arena.work.state import classes

PATH = "/t/new/"
ACTS = ("start", "gather", "open", "draft")
# The act that follows its creation at once.
BEGINS = {"start": actions.start, "gather": actions.start_when_here}
MOST_UNBEGUN = 20
NEW_TOURNAMENTS = Limit("new tournaments", 20, 1 / 30)


@view("GET", "POST", rows=True)
async def new(request: HttpRequest, host: Host | None) -> HttpResponse:
    """The form or, with `act=start|gather|open|draft`, the tournament. With `look`, the form with the values so far."""
    user = await account_of(request)
    sent = request.POST if request.method == "POST" else request.GET
    form, wrong, choices = await _form(request, host, sent)
    act = request.POST.get("act", "")
    if request.method != "POST" or "look" in request.POST:
        return await _shown(request, form, choices, wrong)
    if act not in ACTS:
        said = _("Received {what}, expected one of {known}. Nothing was done.")
        raise Refusal("invalid_form", said.format(what=repr(act[:20]), known=", ".join(ACTS)))
    wrong = wrong or forms.problems(form, timezone.now(), begins=act in ("start", "gather"))
    if wrong:
        return await _shown(request, form, choices, wrong, 422)
    NEW_TOURNAMENTS.check(request)
    try:
        made = await sync_to_async(_made)(form, user, act)
    except Refusal as refusal:
        return await _shown(request, form, choices, {"entry": spoken(refusal.sentence)}, 422)
    return HttpResponseRedirect(made.get_absolute_url())


@view("POST", hosted=False)
async def make_sample(request: HttpRequest) -> HttpResponse:
    """Make an event of built-in players that shows how one works, and go there."""
    user = await account_of(request, "/t/")
    NEW_TOURNAMENTS.check(request)
    variant = games.variants()[0].slug
    made = await sync_to_async(sample.make)(user, _("Sample: the built-in players"), variant)
    return HttpResponseRedirect(made.get_absolute_url())


def _made(form: forms.TournamentForm, user: Any, act: str) -> Tournament:
    unbegun = Tournament.objects.filter(organiser=user, state__in=("draft", "waiting")).count()
    if unbegun >= MOST_UNBEGUN:
        words = _("You have {n} tournaments that have not begun: delete one first.")
        raise Refusal("too_many_tournaments", words.format(n=unbegun))
    starts = moment_in(form.said["starts"]) if act in ("open", "gather") else None
    asks = form.rated and not is_staff(user)
    spec = replace(form.spec(), rated=form.rated and not asks)
    made = actions.create(spec, user, starts, "waiting" if act == "open" else "draft")
    if asks:
        actions.ask_to_rate(made)
    if act in BEGINS:
        BEGINS[act](made, str(user.get_username())[:64])
    return made


async def _form(
    request: HttpRequest, host: Host | None, sent: QueryDict
) -> tuple[forms.TournamentForm, dict[str, str], list[entrants.EntrantChoice]]:
    """The form, with the players that can be ticked for its game."""
    variant = forms.read(sent)[0].said["variant"]
    user = await request.auser()
    staff = await sync_to_async(is_staff)(user)
    whose, ticked = callable_by(user.pk, staff), sent.getlist("entry")
    choices = await sync_to_async(entrants.choices)(
        variant, whose, await present(host), ticked, find=entrants.find_in(sent)
    )
    me = None
    if "me" in ticked and request.method == "POST":
        player = await player_of(request)
        me = EntrySpec(player.name, "person", player=player.pk, agrees=True)
    form, wrong = forms.read(sent, choices, me, await sync_to_async(classes)())
    known = {"me", *(choice.value for choice in choices)}
    gone = sorted(form.ticked - known)
    if gone and "act" in sent:
        said = _("{name} cannot play this game or is no longer there. Look at the list again.")
        wrong["entry"] = said.format(name=gone[0][:40])
    return form, wrong, choices


async def _shown(
    request: HttpRequest,
    form: forms.TournamentForm,
    choices: list[entrants.EntrantChoice],
    wrong: dict[str, str],
    status: int = 200,
) -> HttpResponse:
    find = entrants.find_in(request.POST if request.method == "POST" else request.GET)
    context = {
        **forms.context(form, wrong),
        "find": entrants.to_find(choices, find),
        "quarantined": await sync_to_async(entrants.quarantined)((await request.auser()).pk, form.said["variant"]),
        "choices": [(choice, *form.chose(choice.value)) for choice in choices],
        "me": ((await visitor_of(request)).name, *form.chose("me")),
        "staff": await sync_to_async(is_staff)(await request.auser()),
    }
    return await page(request, "arena/tournament_new.html", context, status)
