"""`/t/<slug>/pairs/`: an organiser keeps two entries of a Swiss event apart, or sets pairings of its next round."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.tournaments import by_hand, setting_pairs
from arena.tournaments.actions import LONGEST_REASON
from arena.tournaments.sheet import Sheet
from arena.web.asked import reason_in
from arena.web.entries import called
from arena.web.tournaments.actions import entry_of, organised
from arena.web.views import page, view
from arena.web.words import spoken


@view("GET", "POST", hosted=False)
async def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    sheet, rights = await organised(request, slug)
    wrong = ""
    if request.method == "POST":
        try:
            await _change(request, sheet, rights.actor)
        except Refusal as refusal:
            wrong = spoken(refusal.sentence)
        else:
            return HttpResponseRedirect(request.path)
    context = {"tournament": sheet.tournament, "wrong": wrong, "said": request.POST, **_shown(sheet)}
    return await page(request, "arena/tournament_pairs.html", context, 422 if wrong else 200)


async def _change(request: HttpRequest, sheet: Sheet, actor: str) -> None:
    act = request.POST.get("act", "")
    if act not in setting_pairs.ACTS:
        said = _("Received {what}, expected one of {known}. Nothing was done.")
        raise Refusal("invalid_form", said.format(what=repr(act[:20]), known=", ".join(setting_pairs.ACTS)))
    first, second = (entry_of(sheet, request.POST.get(name, ""), False) for name in ("first", "second"))
    reason = reason_in(request.POST.get("reason", ""), LONGEST_REASON)
    round = whole_number(request.POST.get("round", ""))  # the one that the page spoke of
    await sync_to_async(setting_pairs.change)(sheet.tournament, act, first, second, reason, actor, round)


def _shown(sheet: Sheet) -> dict[str, Any]:
    def named(pairs: list[by_hand.Pair]) -> list[tuple[int, int, str]]:
        return [(a, b, f"{called(sheet.entries[a])} – {called(sheet.entries[b])}") for a, b in pairs]

    return {
        "why_none": spoken(setting_pairs.why_none(sheet)),
        "round": sheet.round + 1,
        "entries": [(pk, called(entry)) for pk, entry in sheet.entries.items() if pk not in sheet.gone],
        "lists": [
            ("unpair", _("Set for round {n}").format(n=sheet.round + 1), named(by_hand.next_pairs(sheet))),
            ("together", _("Kept apart"), named(by_hand.apart(sheet))),
        ],
    }
