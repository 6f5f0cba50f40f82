"""`/puzzles/`: the overview, the puzzle of the day, the next one, and each one with its board."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, timedelta
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.cluster.lease import by_holder
from arena.host import Host
from arena.models import Puzzle, PuzzleStanding, PuzzleTry, Seat
from arena.ratings import puzzles
from arena.web.guests import player_of, visitor_of
from arena.web.limits import Limit
from arena.web.privacy import keep_private
from arena.web.puzzles import asked
from arena.web.puzzles.asked import MoveQuestion
from arena.web.views import page, view
from arena.web.words import colour, title_of

DAYS_SHOWN = 7
NONE_LEFT = gettext_lazy("You have answered every puzzle there is. New ones come from the matches that are played.")
ANSWERS = Limit("answers", 60, 2)


class Day(NamedTuple):
    """A day of the streak: `letter` is that of its weekday."""

    letter: str
    solved: bool
    today: bool


@view("GET", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    """The overview for this visitor."""
    return await _index_page(request)


@view("GET", hosted=False)
async def next_one(request: HttpRequest) -> HttpResponse:
    """The way to the puzzle nearest to the visitor's rating that they have not answered, of `?variant=` or of any."""
    player, variant = (await visitor_of(request)).player, request.GET.get("variant", "")
    keep_private(request)
    found = await sync_to_async(puzzles.untried)(player, variant)
    if found is None:
        return await _index_page(request, str(NONE_LEFT))
    return HttpResponseRedirect(found.get_absolute_url())


@view("GET", hosted=False)
async def daily(request: HttpRequest) -> HttpResponse:
    """The way to the puzzle of the day; while there is none, the overview, which says so."""
    found = await sync_to_async(puzzles.daily)(_today())
    if found is None:
        return await _index_page(request)
    keep_private(request)  # tomorrow it leads elsewhere
    return HttpResponseRedirect(found.get_absolute_url())


@view("GET", "POST", rows=True)
async def puzzle(request: HttpRequest, host: Host | None, number: int) -> HttpResponse:
    """The board. A POST has the `move` that is tried, or `act` for a hint or the answer."""
    found = await Puzzle.objects.select_related("match").filter(pk=number).afirst()
    if found is None:
        raise Http404(_("There is no puzzle {number}.").format(number=number))
    question = asked.ask(found.variant, found.position, found.values)
    if request.method == "POST":
        assert host is not None, "forms are sent to the host"
        return await _answered(request, host, found, question)
    player = (await visitor_of(request)).player
    if player is not None:
        keep_private(request)
    context = await sync_to_async(_context)(request, found, question, player)
    return await page(request, "arena/puzzle.html", context)


async def _index_page(request: HttpRequest, notice: str = "") -> HttpResponse:
    player = (await visitor_of(request)).player
    if player is not None:
        keep_private(request)
    context = await sync_to_async(_index)(player)
    return await page(request, "arena/puzzles.html", {**context, "notice": notice})


async def _answered(request: HttpRequest, host: Host, found: Puzzle, question: MoveQuestion) -> HttpResponse:
    """Raises Refusal for an illegal move, which does not count."""
    said = asked.said_in(request, question)
    ANSWERS.check(request)
    player = await player_of(request)
    if said.act == "hint":
        await _stored(host, puzzles.hint, player.pk, found.pk)
        return HttpResponseRedirect(found.get_absolute_url())
    await _stored(host, puzzles.answered, player.pk, found.pk, said.right and not said.act, timezone.now())
    return HttpResponseRedirect(f"{found.get_absolute_url()}?{await said.query()}")


@sync_to_async
def _stored(host: Host, change: Callable[..., object], *arguments: object) -> None:
    with by_holder(host.fence):
        change(*arguments)


# -- what stands on the pages ------------------------------------------------------------------------------------------


def _index(player: int | None) -> dict[str, Any]:
    counts = dict(Puzzle.objects.values_list("variant").annotate(Count("pk")).order_by("variant"))
    the_daily = puzzles.daily(_today())
    return {
        "variants": [{"slug": slug, "title": title_of(slug), "count": count} for slug, count in counts.items()],
        "daily": card(the_daily),
        **_row(_standing(player)),
    }


def card(found: Puzzle | None) -> dict[str, Any] | None:
    """The puzzle of the day as a small card shows it; None while there is none."""
    if found is None:
        return None
    question = asked.ask(found.variant, found.position, found.values)
    return {
        "address": found.get_absolute_url(),
        "picture": question.draws.mini(question.position),
        "task": asked.task(question),
        "line": f"{title_of(found.variant)} · " + _("{colour} to move").format(colour=colour(question.choice.seat)),
    }


def card_of_today() -> dict[str, Any] | None:
    """Today's puzzle as a card for the first page."""
    return card(puzzles.daily(_today()))


def _context(request: HttpRequest, found: Puzzle, question: MoveQuestion, player: int | None) -> dict[str, Any]:
    mine = PuzzleTry.objects.filter(player=player, puzzle=found).first() if player is not None else None
    settled = mine is not None and mine.solved is not None
    board = asked.board_of(request, question, settled)
    the_daily = puzzles.daily(_today())
    return {
        **board,
        "puzzle": found,
        "address": found.get_absolute_url(),
        "next": "/puzzles/next/",
        "next_words": _("Next puzzle"),
        "analysis": f"/m/{found.match_id}/analysis/?ply={found.ply}",
        "title": title_of(found.variant),
        "is_daily": the_daily is not None and the_daily.pk == found.pk,
        "today": timezone.now(),
        "second": _("{colour} to move.").format(colour=colour(question.choice.seat)) + f" {asked.others(question)}",
        "hint": asked.hinted(question) if mine is not None and mine.hinted and not board["verdict"] else "",
        "settled": settled,
        "mine": mine,
        "gain": _gain(mine),
        "percent": round(100 * found.lost / found.matches) if found.matches else None,
        "source": _source(found) if board["rows"] else None,
        **_row(_standing(player)),
    }


def _gain(mine: PuzzleTry | None) -> str:
    """`+9`, `−12`: what the first answer did to the player's points."""
    if mine is None or mine.before is None or mine.after is None:
        return ""
    return f"{round(mine.after) - round(mine.before):+d}".replace("-", "\N{MINUS SIGN}")


def _source(found: Puzzle) -> dict[str, Any]:
    names = Seat.objects.filter(match=found.match_id).order_by("seat").values_list("name", flat=True)
    return {
        "names": " – ".join(names),
        "move": found.ply + 1,
        "ended": found.match.ended,
        "match": f"/m/{found.match_id}/?ply={found.ply}",
    }


def _standing(player: int | None) -> PuzzleStanding | None:
    return PuzzleStanding.objects.filter(pk=player).first() if player is not None else None


def _row(standing: PuzzleStanding | None) -> dict[str, Any]:
    """The visitor's numbers, and the days of their streak among the last seven."""
    today = _today()
    streak = puzzles.streak_on(standing, today)
    last = standing.solved_day if standing is not None and standing.solved_day else today
    solved = {last - timedelta(days=n) for n in range(streak)}
    days = [today - timedelta(days=n) for n in reversed(range(DAYS_SHOWN))]
    return {
        "standing": standing,
        "streak": streak,
        "days": [Day(date_format(day, "D")[0], day in solved, day == today) for day in days],
    }


def _today() -> date:
    return timezone.now().astimezone(UTC).date()
