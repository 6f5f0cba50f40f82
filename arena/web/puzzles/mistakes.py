"""`/mistakes/`: the positions of one's own matches in which one's move changed the result, repeated at growing
intervals.

Any move that keeps the value of the position is right. A position answered right comes back later and later, one
answered wrong tomorrow; answers before it is due are practice.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.cluster.lease import by_holder
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Mistake
from arena.web.guests import known_visitor, visitor_of
from arena.web.joined import numbers_of
from arena.web.match.analysis import words_of
from arena.web.puzzles import asked
from arena.web.puzzles.asked import MoveQuestion
from arena.web.views import page, view
from arena.web.words import colour, title_of
from arena.work.analyses import position_at

# Days until it is asked again after the first, second … right answer in a row; then it is learnt.
INTERVALS = (1, 3, 7, 21, 60)


@view("GET", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    player = (await visitor_of(request)).player
    return await page(request, "arena/mistakes.html", await sync_to_async(_index)(player))


@view("GET", "POST", rows=True)
async def mistake(request: HttpRequest, host: Host | None, number: int) -> HttpResponse:
    """The board. A POST has a `move` to try, or `act` for the answer. Only for whoever made the mistake."""
    player = (await visitor_of(request)).player
    found = await (await sync_to_async(_of)(player)).filter(pk=number).afirst()
    if found is None:
        raise Http404(_("You have no mistake {number}.").format(number=number))
    question = await sync_to_async(_question)(found)
    if request.method == "POST":
        assert host is not None, "forms are sent to the host"
        return await _answered(request, host, found, question)
    context = await sync_to_async(_context)(request, found, question)
    return await page(request, "arena/mistake.html", context)


def _of(player: int | None) -> QuerySet[Mistake]:
    """Their mistakes, including those as a guest."""
    return Mistake.objects.filter(player__in=numbers_of(player))


def _question(found: Mistake) -> MoveQuestion:
    """Raises Http404."""
    with suppress(LookupError, ValueError):
        at = position_at(found.match_id, found.ply - 1)
        question = MoveQuestion(at.variant, at.course[-1][0], at.choice)
        if question.right:
            return question
    raise Http404(_("The analysis of this match is gone, or proves less than it did."))


async def _answered(request: HttpRequest, host: Host, found: Mistake, question: MoveQuestion) -> HttpResponse:
    said = asked.said_in(request, question)
    if said.act == "hint":
        raise Refusal("invalid_form", _("There are no hints here. Nothing was done."))
    await _stored(host, found, said.right and not said.act)
    return HttpResponseRedirect(f"{found.get_absolute_url()}?{await said.query()}")


@sync_to_async
def _stored(host: Host, found: Mistake, right: bool) -> None:
    with by_holder(host.fence):
        learn(found.pk, right, timezone.now())


def learn(number: int, right: bool, now: datetime) -> None:
    """Record a try; if it was due, set the next date."""
    found = Mistake.objects.select_for_update().filter(pk=number, due__lte=now).first()
    if found is None:
        return
    found.step = found.step + 1 if right else 0
    if found.step > len(INTERVALS):
        found.due = None
    else:
        found.due = now + timedelta(days=INTERVALS[max(0, found.step - 1)])
    found.save(update_fields=["step", "due"])


# -- what stands on the pages ------------------------------------------------------------------------------------------


def _index(player: int | None) -> dict[str, Any]:
    now = timezone.now()
    mine = _of(player).order_by("due", "pk")
    first = mine.filter(due__lte=now).first()
    return {
        "due": mine.filter(due__lte=now).count(),
        "first": _in_card(first) if first else None,
        "later": mine.filter(due__gt=now).count(),
        "next": mine.filter(due__gt=now).first(),
        "learnt": mine.filter(due=None).count(),
        "intervals": _("{days} and {last}").format(days=", ".join(map(str, INTERVALS[:-1])), last=INTERVALS[-1]),
    }


def _in_card(first: Mistake) -> dict[str, Any]:
    """Its card with a small board, without one if the match is no longer analysed."""
    found: dict[str, Any] = {"address": first.get_absolute_url()}
    with suppress(Http404):
        question = _question(first)
        found |= {"picture": question.draws.mini(question.position), "title": title_of(question.variant)}
    return found


def _context(request: HttpRequest, found: Mistake, question: MoveQuestion) -> dict[str, Any]:
    board = asked.board_of(request, question, may_see=True)
    value = question.choice.values.get(question.choice.played)
    made = _("You played {move} here.").format(move=question.draws.named(question.choice.played))
    made += " " + _("It {wins}.").format(wins=words_of(value)) if value else ""
    following = _of(known_visitor(request).player).filter(due__lte=timezone.now()).exclude(pk=found.pk)
    after = following.order_by("due", "pk").first()
    return {
        **board,
        "mistake": found,
        "title": title_of(question.variant),
        "second": _("{colour} to move.").format(colour=colour(question.choice.seat)) + f" {made}",
        "address": found.get_absolute_url(),
        "next": after.get_absolute_url() if after else "/mistakes/",
        "next_words": _("Next mistake") if after else _("Your mistakes"),
        "analysis": f"/m/{found.match_id}/analysis/?ply={found.ply - 1}",
    }
