"""The proved values of a finished match for pages and programs: in words, as pictures and as JSON."""

from __future__ import annotations

from html import escape
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.conf import settings
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, pgettext_lazy

import games
from arena.analysis.marks import LOST, WON, Judged, Mark, ResultAt, Story, Worth, keeping, worth
from arena.analysis.matches import is_solvable
from arena.core.hub import LiveMatch
from arena.match.endings import Termination
from arena.web.drawing import Artist, artist, strip
from arena.web.tongue import gettext
from arena.web.words import capital, colour, seat_name
from arena.work.analyses import Analysed, read

# A position of Santorini has a hundred moves: only the best ones are listed, this many.
MOST_LISTED = 10
NO_SOLVER = gettext_lazy("There is no analysis: this game has no solver.")
NOT_YET = gettext_lazy("The analysis of this match is not there yet: it is made while no rated match is played.")

NBSP = "\N{NO-BREAK SPACE}"
_SIGNS = {WON: "▲", 0: "▬", LOST: "▼"}
_VERBS = {WON: pgettext_lazy("a move", "wins"), 0: gettext_lazy("draws"), LOST: gettext_lazy("loses")}
RESULTS = {WON: "win", 0: "draw", LOST: "loss"}
_TONES = {WON: "won", 0: "drawn", LOST: "lost"}


class MoveRemark(NamedTuple):
    """A remark in the move list: the move changed the result, or it was the only one."""

    words: str
    grave: bool


class MoveWorth(NamedTuple):
    """A move of a position as the list of values shows it: `tone` is won, drawn or lost."""

    name: str
    sign: str
    words: str
    tone: str
    best: bool
    played: bool


async def look_up(live: LiveMatch) -> None:
    """Load the analysis of a match that is over, if there is one."""
    if live.over and live.facts.analysis is None:
        live.facts.analysis = await sync_to_async(read)(live.id, live.events)


# -- in words ----------------------------------------------------------------------------------------------------------


def words_of(value: Worth) -> str:
    """`wins in 7`, `draws`, `loses`: the number counts the winner's moves."""
    if value.result == 0 or value.moves is None:
        return str(_VERBS[value.result])
    if value.result == WON:
        return gettext("wins in {n}").format(n=value.moves)
    return gettext("loses in {n}").format(n=value.moves)


def words_of_mark(mark: Mark, draws: Artist) -> str:
    """`Threw away the win: column 4 wins in 7`."""
    if mark.kind == "only_move":
        return gettext("Only move")
    better = draws.subject(mark.better[0])
    if mark.kind == "missed_draw":
        return gettext("Missed a draw: {move}").format(move=better)
    return gettext("Threw away the win: {move} {wins}").format(move=better, wins=words_of(mark.value))


def words_of_decision(live: LiveMatch, story: Story) -> str:
    """The move since which the result has been the final one; "" if that is not proved."""
    decided = story.decided
    if decided is None:
        return ""
    is_result = live.state.termination == Termination.NORMAL
    said = gettext("Decided") if is_result else _won_for(decided.result)
    if not decided.since:
        return gettext("{decided} from the start").format(decided=said)
    latest = gettext("{decided} since move {n} at the latest")
    words = latest if decided.at_latest else gettext("{decided} since move {n}")
    return words.format(decided=said, n=decided.since)


def remarks(live: LiveMatch) -> dict[int, MoveRemark]:
    """The remarks on moves, by their numbers."""
    if live.facts.analysis is None:
        return {}
    draws, story = _draws(live), live.facts.analysis.story
    return {mark.ply: MoveRemark(words_of_mark(mark, draws), mark.kind != "only_move") for mark in story.marks}


def told(live: LiveMatch) -> list[str]:
    """The whole analysis, a sentence a line; empty if there is none."""
    analysed: Analysed | None = live.facts.analysis
    if analysed is None:
        return []
    names = [seat.name for seat in live.state.setup.seats]
    story = analysed.story
    lines = [f"{'Proved' if story.complete else 'Proved in part'} by the kernel {analysed.kernel}."]
    lines += [f"{words}." for words in [words_of_decision(live, story)] if words]
    for name, (kept, counted) in zip(names, story.mattered, strict=True):
        lines.append(f"{name}: {kept} of {counted} moves that mattered.")
    marks = ((mark, words_of_mark(mark, _draws(live))) for mark in story.marks)
    return lines + [f"Move {mark.ply}, {names[mark.seat]}: {words}." for mark, words in marks]


def _won_for(result: int) -> str:
    if result == 0:
        return gettext("Drawn")
    return gettext("Won for {colour}").format(colour=colour(0 if result > 0 else 1))


# -- on the page -------------------------------------------------------------------------------------------------------


def card(live: LiveMatch, audience: str, oob: str = "", lanes: bool = True) -> SafeString:
    """The strip of the match, if it has `lanes`, with its words from the reader's side; empty while the match runs.

    With `oob` it comes to an open page, which may be that of a live match: this has no styles for it until now.
    """
    inner = _card(live, audience, lanes) if live.over else ""
    if oob and live.over and live.facts.analysis is not None:
        inner = f'<link rel="stylesheet" href="{static("css/analysed.css")}">{inner}'
    return SafeString(f'<div id="analysis"{oob}>{inner}</div>')


def bars(live: LiveMatch, address: str, ply: int) -> list[str]:
    """For the analysis board: the picture whose bars lead to positions at `address`, the words above its line, and
    those below; empty if nothing is proved.
    """
    analysed: Analysed | None = live.facts.analysis
    if analysed is None or all(standing.result is None for standing in analysed.story.standings):
        return []
    return [strip.bars(analysed.story.standings, address, ply), _won_for(WON), _won_for(LOST)]


def _card(live: LiveMatch, audience: str, lanes: bool) -> str:
    analysed: Analysed | None = live.facts.analysis
    if analysed is None:
        return _nothing(live)
    story, setup = analysed.story, live.state.setup
    names = [seat_name(who, seat, setup.at_one_screen) for seat, who in enumerate(setup.seats)]
    side = 1 if audience == "1" else 0
    lines = [
        {"seat": seat, "name": names[seat], "colour": colour(seat), "kept": kept, "all": counted}
        for seat, (kept, counted) in enumerate(story.mattered)
    ]
    standings = [standing if side == 0 else _turned(standing) for standing in story.standings]
    context = {
        "strip": strip.draw(standings, f"/m/{live.id}/") if lanes else "",
        "told": strip.told(standings, "" if audience else colour(side)),
        "side": "" if audience else colour(side),
        "last": len(standings) - 1,
        "decided": words_of_decision(live, story),
        "lines": lines,
        "proved": gettext("Proved") if story.complete else gettext("Proved in part"),
        **(_lesson(live, story, side) if audience and lanes else {}),
    }
    return render_to_string("arena/fragments/analysis.html", context)


def _lesson(live: LiveMatch, story: Story, side: int) -> dict[str, str]:
    """For who did not win: their last move that changed the result for the worse, and where it can be tried again."""
    grave = [mark for mark in story.marks if mark.seat == side and mark.kind != "only_move"]
    if not grave or live.state.winner == side:
        return {}
    mark = grave[-1]
    missed = mark.kind == "missed_draw"
    said = gettext("Move {n} missed a draw.") if missed else gettext("Move {n} threw away the win.")
    return {
        "lesson": said.format(n=mark.ply),
        "instead": _instead(mark, _draws(live)),
        "again": f"/m/{live.id}/analysis/?ply={mark.ply - 1}&again=",
    }


def _instead(mark: Mark, draws: Artist) -> str:
    """`Column 3 was the only move: it draws.`; of several moves, the best one."""
    move, leads = capital(draws.subject(mark.better[0])), words_of(mark.value)
    if len(mark.better) == 1:
        return gettext("{move} was the only move: it {wins}.").format(move=move, wins=leads)
    return f"{move} {leads}."


def way_to_board(variant: str, address: str) -> str:
    """From the end of a match: to the analysis board if the game has one, else to the first position."""
    start = ('?ply=0" data-step="0"', "play", gettext("Replay"))
    where, icon, words = ('analysis/"', "eye", gettext("Analyse")) if is_solvable(variant) else start
    drawn = f'<svg class="icon" aria-hidden="true"><use href="{static("icons.svg")}#{icon}"/></svg>'
    return f'<a class="btn" href="{address}{where}>{drawn}<span>{words}</span></a>'


def _nothing(live: LiveMatch) -> str:
    if not is_solvable(live.state.setup.variant):
        return f'<p class="small muted">{NO_SOLVER}</p>'
    waits = (settings.ARENA_WORK_SLOTS or settings.ARENA_ENGINE) and live.state.position.ply
    return f'<p class="small muted">{NOT_YET}</p>' if waits else ""


def _turned(standing: ResultAt) -> ResultAt:
    return standing if standing.result is None else standing._replace(result=-standing.result)


def remark(said: MoveRemark | None) -> str:
    """The remark under its move in the list, in red if the result changed."""
    if said is None:
        return ""
    return f'<span class="remark{" grave" if said.grave else ""}">{escape(said.words)}</span>'


def values(live: LiveMatch, ply: int, oob: str = "") -> SafeString:
    """The result of every move in a position, asked for under the board; empty if nothing is known."""
    analysed: Analysed | None = live.facts.analysis
    if analysed is None or ply >= len(analysed.choices):
        return SafeString(f'<div id="values"{oob}></div>')
    choice, draws = analysed.choices[ply], _draws(live)
    context = {
        "rows": worths(choice, draws),
        "said": said(choice, draws),
        "unknown": choice.legal - len(choice.values),
        "more": max(0, len(choice.values) - MOST_LISTED),
        "colour": colour(choice.seat),
    }
    return SafeString(f'<div id="values"{oob}>{render_to_string("arena/fragments/values.html", context)}</div>')


def worths(choice: Judged, draws: Artist) -> list[MoveWorth]:
    """The moves of a position with their values: all in their order if they are few, else the best first."""
    best = max((value.result for value in choice.values.values()), default=None)
    moves = list(choice.values)
    if len(moves) > MOST_LISTED:
        ranked = [move for result in (WON, 0, LOST) for move in keeping(choice, result)]
        moves = ranked[:MOST_LISTED]
        if choice.played in choice.values and choice.played not in moves:
            moves[-1] = choice.played
    listed = []
    for move in moves:
        value = choice.values[move]
        verb, space, number = words_of(value).partition(" ")  # a narrow column breaks it after the verb
        words = f"{verb}{space}{number.replace(' ', NBSP)}"
        row = (draws.named(move), _SIGNS[value.result], words, _TONES[value.result])
        listed.append(MoveWorth(*row, value.result == best, move == choice.played))
    return listed


def said(choice: Judged, draws: Artist) -> str:
    """`Column 4 wins in 12. Column 2 was played: it wins in 15, so nothing changed.`"""
    before, made = worth(choice), choice.values.get(choice.played)
    if before is None:
        return ""
    first = keeping(choice, before.result)[0]
    said = f"{capital(draws.subject(first))} {words_of(choice.values[first])}."
    if made is None or first == choice.played:
        return said
    if made.result == before.result:
        words = gettext("{move} was played: it {wins}, so nothing changed.")
    elif before.result == WON:
        words = gettext("{move} was played: it {wins}, but a win was possible.")
    else:
        words = gettext("{move} was played: it {wins}, but a draw was possible.")
    return f"{said} {words.format(move=capital(draws.subject(choice.played)), wins=words_of(made))}"


def _draws(live: LiveMatch) -> Artist:
    return artist(games.variant(live.state.setup.variant).game)


# -- for programs ------------------------------------------------------------------------------------------------------


def to_json(live: LiveMatch) -> dict[str, Any]:
    """`{"analysis": {…}}`, empty if there is none; the names in it are promises (docs/api.md)."""
    analysed: Analysed | None = live.facts.analysis
    if analysed is None:
        return {}
    story, draws = analysed.story, _draws(live)
    marks = [
        {
            "ply": mark.ply,
            "seat": mark.seat,
            "kind": mark.kind,
            "better": list(mark.better),
            "words": words_of_mark(mark, draws),
        }
        for mark in story.marks
    ]
    return {
        "analysis": {
            "kernel": analysed.kernel,
            "complete": story.complete,
            "decided": None if story.decided is None else story.decided._asdict(),
            "mattered": [{"kept": kept, "of": counted} for kept, counted in story.mattered],
            "marks": marks,
            "values": [
                {move: {"result": RESULTS[value.result], "plies": value.plies} for move, value in choice.values.items()}
                for choice in analysed.choices
            ],
        }
    }
