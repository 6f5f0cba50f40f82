"""`/bots/<slug>/mistakes.json`: the moves with which a bot changed the result, as tests in its wire format."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from arena.analysis.marks import keeping, worth
from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.models import Bot, Mistake
from arena.models.match import public
from arena.protocols.exercises import exercise
from arena.web.bots.bots import bot_of, is_mine
from arena.web.limits import Limit
from arena.web.match.analysis import RESULTS
from arena.web.privacy import keep_private
from arena.web.views import view
from arena.work.analyses import position_at

MOST = 50
OFTEN = Limit("regression suites", 30, 0.5)


@view("GET", hosted=False)
async def as_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest ones; older ones with `?before=` and the last `id`. Only the owner gets those of private matches."""
    found = await bot_of(slug)
    mine = await is_mine(request, found)
    if mine:
        keep_private(request)
    asked = request.GET.get("before", "")
    before = whole_number(asked)
    if asked and before is None:
        words = _("Received before {before}, expected the id of a mistake.")
        raise Refusal("invalid_form", words.format(before=repr(asked[:20])))
    OFTEN.check(request)
    told = await sync_to_async(_told)(found, mine, before)
    head = {"bot": found.player.name, "protocol": found.protocol, "variant": found.variant}
    return JsonResponse({**head, "mistakes": told})


def _told(found: Bot, mine: bool, before: int | None) -> list[dict[str, Any]]:
    rows = Mistake.objects.filter(player=found.player).order_by("-pk")
    if not mine:
        rows = rows.filter(public("match__"))
    if before is not None:
        rows = rows.filter(pk__lt=before)
    told = []
    for row in rows[:MOST]:
        with suppress(LookupError, ValueError):  # its analysis is gone, or cannot be read
            told.append(_mistake(found, row))
    return told


def _mistake(found: Bot, row: Mistake) -> dict[str, Any]:
    at = position_at(row.match_id, row.ply - 1)
    before = worth(at.choice)
    right = keeping(at.choice, before.result) if before else ()
    trained = exercise(found.protocol, at.variant, at.settings, at.course, right)
    return {
        "id": row.pk,
        "match": row.match_id,
        "ply": row.ply,
        "variant": at.variant,
        "settings": at.settings,
        "position": str(at.course[-1][0]),
        "played": at.played,
        "result": RESULTS[before.result] if before else None,
        "keeps": list(right),
        "answers": list(trained.answers),
        "wire": [said._asdict() for said in trained.wire],
    }
