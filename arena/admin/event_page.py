"""The page of an event for staff: settings in words, table, pairings by urgency, entries, the actions on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from arena.admin import known
from arena.admin.event_actions import EventAction, offered
from arena.common.numbers import whole_number
from arena.models import Bot, Entry, Tournament
from arena.tournaments import giving, taking, words
from arena.tournaments.players import cannot_start
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.tiebreaks import points
from arena.web.people import ratings
from arena.web.present import HostNow
from arena.web.tournaments import sentences
from arena.web.tournaments import shown as of_page

State = Tournament.State
# The order within a round: pairings that need somebody come first.
BY_NEED = {"handed": 0, "waiting": 1, "running": 2}
BY_ROUNDS = ("swiss", "knockout")
# The step at which an event is.
AT = {"draft": 0, "waiting": 1, "running": 2, "paused": 2, "finished": 3}
# The marks of what is not over; both a colour and a shape.
TONES = {"handed": "d", "waiting": "w", "running": "a"}
COUNTED = {"running": "live", "waiting": "waiting", "handed": "to decide"}
WAITS_FOR = {"running": "running", "waiting": "waiting to be played", "handed": "to be re-run or decided"}
MOST_LINES = 200


class ListedPairing(NamedTuple):
    """`points` are those that both have in the table; `tone`: the mark of its state, as in TONES. `matches`: the number
    and ending of each. `address` is the page with the matches of these two.
    """

    pk: int
    number: int
    points: tuple[str, str]
    tone: str
    first: str
    second: str
    status: str
    score: str
    reason: str
    matches: list[tuple[str, str]]
    address: str
    needs: bool
    acts: list[EventAction]


class ListedEntry(NamedTuple):
    """`look`: staff should look at it, because it left or does not come. `about`: what it is, whose, its rating."""

    pk: int
    seed: int
    name: str
    about: str
    player: int | None
    state: str
    acts: list[EventAction]
    look: bool


class EventStep(NamedTuple):
    """A state that an event passes through: `now` is the current one, `done` marks earlier ones."""

    title: str
    now: bool
    done: bool


def shown(
    sheet: Sheet, asked: str, acts: bool, all_entries: bool = False, now: HostNow | None = None
) -> dict[str, Any]:
    """`asked` is the round to show, "" for the one being played; `acts` adds the actions that are possible. Without
    `all_entries`, only those are shown that somebody should look at, if there are such. `now` is what the host says.
    """
    here, lacking = (now.online, now.lacking) if now is not None else (frozenset[int](), frozenset[int]())
    said = whole_number(asked)
    number = _round(sheet) if said is None else said
    lines = sorted(sheet.lines, key=lambda line: (BY_NEED.get(line.status, 3), line.number, line.leg))
    needy = [line for line in lines if line.status == "handed" and line.round != number]
    of_round = [line for line in lines if line.round == number]
    says = sentences.says(sheet, here, lacking)
    order, table = words.tie_break_order(sheet), of_page.rows(sheet, crossed=False)
    entries = _entries(sheet, acts, lacking)
    look = [each for each in entries if each.look]
    has = {row.name: row.points for row in table}

    whys = giving.whys([*needy, *of_round])

    def listed(line: PairingLine) -> ListedPairing:
        return _pairing(sheet, line, has, acts, whys.get(line.pk, ""))

    return {
        "about": sentences.about(sheet),
        "state": sentences.STATES[sheet.tournament.state],
        "says": " ".join([says, *taking.asked(taking.conditions_of(sheet.tournament))]),
        "rated": bool(sheet.tournament.settings.get("rated")),
        "order": order,
        "steps": _steps(sheet),
        "waits": _waits(sheet),
        "event_acts": offered(sheet, "event") if acts else [],
        "rows": table,
        "tie_breaks": [summed.title for row in table[:1] for summed in row.sums],
        "round": number,
        "rounds": sorted({line.round for line in sheet.lines}),
        "counted": _counted([*needy, *of_round]),
        "pairings": [listed(line) for line in [*needy, *of_round] if line.status in BY_NEED][:MOST_LINES],
        "done": [listed(line) for line in of_round if line.status not in BY_NEED][:MOST_LINES],
        "entries": entries if all_entries or not look else look,
        "entered": len(entries),
        "look": len(look),
        "all_entries": all_entries,
        "ruled": of_page.rulings(sheet),
        "history": known.done(sheet.tournament.slug),
    }


def _steps(sheet: Sheet) -> list[EventStep]:
    """From a draft to the published table."""
    playing = f"Round {sheet.round}" if sheet.lines and sheet.tournament.format in BY_ROUNDS else "Play"
    paused = " (paused)" if sheet.tournament.state == State.PAUSED else ""
    titles = ["Draft", "Entries", f"{playing}{paused}", "Finished", "Published"]
    at = AT[sheet.tournament.state] + (sheet.tournament.published is not None)
    return [EventStep(title, number == at, number < at) for number, title in enumerate(titles)]


def _waits(sheet: Sheet) -> str:
    """What the next round or the end waits for."""
    if sheet.tournament.state not in (State.RUNNING, State.PAUSED):
        return ""
    counted = Counter(line.status for line in sheet.lines)
    parts = [f"{counted[status]} {words}" for status, words in WAITS_FOR.items() if counted[status]]
    by_rounds = sheet.tournament.format in BY_ROUNDS
    what = "The next round is paired, or the event ends," if by_rounds else "The event ends"
    return f"{what} once nothing of this is left: {', '.join(parts)}." if parts else ""


def _round(sheet: Sheet) -> int:
    """The first round in which something is to be played or decided, else the last."""
    open_rounds = [line.round for line in sheet.lines if line.status in BY_NEED]
    return min(open_rounds, default=sheet.round)


def _counted(lines: Iterable[PairingLine]) -> list[tuple[str, int, str]]:
    """How many of the round are live, wait or need a decision, each with its mark."""
    numbers = Counter(line.status for line in lines)
    return [(TONES[status], numbers[status], words) for status, words in COUNTED.items() if numbers[status]]


def _pairing(sheet: Sheet, line: PairingLine, has: Mapping[str, str], acts: bool, why: str) -> ListedPairing:
    result = line.result(sheet.legs)
    first, second = sheet.names[line.a], sheet.names[line.b] if line.b is not None else "bye"
    return ListedPairing(
        line.pk,
        line.number,
        (has.get(first, ""), has.get(second, "")),
        TONES.get(line.status, ""),
        first,
        second,
        of_page.STATUS.get(line.status, line.status),
        f"{points(result.score_a)} – {points(result.score_b)}" if result is not None else "",
        line.reason or why,
        [(match.id, of_page.ended(sheet, line, match)) for match in line.matches],
        of_page.address(sheet, line) if line.b is not None else "",
        line.status == "handed",
        offered(sheet, "pairing", line) if acts else [],
    )


def _entries(sheet: Sheet, acts: bool, lacking: Collection[int]) -> list[ListedEntry]:
    unmet = frozenset() if sheet.lines else frozenset(taking.unmet_in(sheet))
    players = [entry.player_id for entry in sheet.entries.values() if entry.player_id is not None]
    bots = {bot.pk: bot for bot in Bot.objects.filter(player__in=players).select_related("owner")}
    rated = ratings.beside(sheet.tournament.variant, players)

    def about(entry: Entry) -> str:
        kind, bot = of_page.kind_of(entry), bots.get(entry.player_id or 0)
        owner = bot.owner if bot is not None else None
        rating = rated.get(entry.player_id or 0)
        return f"{kind}{f' of {owner}' if owner else ''}{f', {rating}' if rating else ''}"

    return [
        _entry(sheet, each, about(each), _state(sheet, each, bots.get(each.player_id or 0), lacking, pk in unmet), acts)
        for pk, each in sheet.entries.items()
    ]


def _state(sheet: Sheet, entry: Entry, bot: Bot | None, lacking: Collection[int], unmet: bool) -> str:
    """Why staff should look at it, "" if it simply takes part."""
    if entry.withdrawn:
        return "withdrawn"
    if entry.absent:
        return "given up: missed two calls"
    if bot is not None and sheet.tournament.state != State.FINISHED:
        if not bot.enabled:
            return f"disabled ({bot.why_disabled or 'no reason given'})"
        if cannot_start(entry) or bot.command is not None and bot.pk in lacking:
            return "this server cannot start it"
    if entry.calls:
        return f"missed {entry.calls} call{'' if entry.calls == 1 else 's'}"
    return "does not meet the conditions, and stays" if unmet else ""


def _entry(sheet: Sheet, entry: Entry, about: str, state: str, acts: bool) -> ListedEntry:
    return ListedEntry(
        *(entry.pk, entry.seed, entry.name, about, entry.player_id, state or "takes part"),
        offered(sheet, "entry", entry) if acts else [],
        bool(state),
    )
