"""The visible parts of a match page, one function each: the page load and the websocket use the same ones.

State is sent as whole pictures that are morphed, so focus and running animations survive and a lost frame is made up
for by the next; moves are appended. Names and other texts are escaped here. Strings are joined in Python, not by
templates, because this is the hot path: a frame of a running 7 x 6 match takes 53 µs from its `Scene`, and a Django
template would take 8 times as long.
"""

from __future__ import annotations

from html import escape, unescape
from typing import NamedTuple

from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext_noop, ngettext

from arena.web.drawing import OOB_MORPH, Artist, Choice, View, artist
from arena.web.match import analysis, offers
from arena.web.match.ending_card import result_card
from arena.web.match.reaction_words import bubble
from arena.web.match.scene import MoveRow, PlayerCard, Scene
from arena.web.match.status import Status, refusal_line
from arena.web.notices import storage_bar
from arena.web.tongue import gettext, pgettext
from arena.web.words import colour, decimals, minutes
from games import Position

SEATS = tuple(
    SafeString(f'<svg class="seat" viewBox="-50 -50 100 100" aria-hidden="true"><use href="#d{seat}"/></svg>')
    for seat in (0, 1)
)
REPLACE = ' hx-swap-oob="true"'
_ROUNDS = {"w": gettext_noop("{n} won"), "d": gettext_noop("{n} drawn"), "l": gettext_noop("{n} lost")}
# A square for every round of a long series would be most of a frame.
MOST_PIPS = 20


class BoardFragment(NamedTuple):
    """A board on a page: `name` are the classes of its frame, `defs` the drawings that its picture refers to."""

    draws: Artist
    name: str
    defs: SafeString
    pieces: SafeString
    controls: SafeString
    reader: SafeString


class Page(NamedTuple):
    """The context of templates/arena/match.html."""

    stage: BoardFragment
    live: SafeString
    far: SafeString
    near: SafeString
    status: SafeString
    moves: SafeString
    watching: SafeString
    offer: SafeString


def page(scene: Scene) -> Page:
    """The parts of a whole page; `scene.base` is 0."""
    stage = _stage(scene.artist, scene.view, controls(scene))
    far, near = player(scene, scene.far, "far"), player(scene, scene.near, "near")
    return Page(stage, live(scene), far, near, status(scene), moves(scene), watching(scene), offers.form(scene))


def empty_stage(title: str, game: str, position: Position, chosen: tuple[str, ...] = ()) -> BoardFragment:
    """The first position of a variant, to begin with: every move on it can be made by seat 0."""
    draws, choice = artist(game), Choice(0, True, chosen)
    view = View(position, title=title, names=(gettext("You"), gettext("The built-in player")))
    return _stage(draws, view, _controls(1, "0+", draws.controls(view, choice)))


def stage(game: str, view: View, choice: Choice) -> BoardFragment:
    """A board outside of matches, on which a reader chooses a move."""
    draws = artist(game)
    return _stage(draws, view, SafeString(f'<div id="controls">{draws.controls(view, choice)}</div>'))


def _stage(draws: Artist, view: View, controls: SafeString) -> BoardFragment:
    frame, defs = draws.frame(view.position), draws.defs(view.position)
    return BoardFragment(draws, frame, defs, draws.pieces(view), controls, _reader(draws, view))


def picture(title: str, game: str, position: Position, last: str | None = None) -> BoardFragment:
    """A position to look at."""
    draws, nothing = artist(game), SafeString()
    drawn = draws.pieces(View(position, last, title))
    return BoardFragment(draws, draws.frame(position), draws.defs(position), drawn, nothing, nothing)


def heartbeat(now_ms: int, seq: int | None = None) -> SafeString:
    """Sent when nothing else is, so that a dead connection or a lost message is noticed; it also sets the clocks."""
    newest = "" if seq is None else f' data-seq="{seq}"'
    return SafeString(f'<div id="hb" data-now="{now_ms}"{newest} hidden></div>{storage_bar()}')


def goto(address: str, words: str, *, seen: bool = True) -> SafeString:
    """The way to the next match. follow.js takes the players there; watchers may follow."""
    here = f'class="btn primary" href="{escape(address)}" data-go="seats"{"" if seen else " hidden"}'
    return SafeString(f'<a id="goto" {here}{REPLACE}>{escape(words)}</a>')


def frame(scene: Scene) -> SafeString:
    """One message to one audience: everything that may have changed since `scene.base`."""
    parts = [
        live(scene, REPLACE),
        *_board(scene),
        _players(scene),
        status(scene, OOB_MORPH),
        watching(scene, REPLACE),
    ]
    if scene.offers.allowed:
        parts.append(offers.form(scene, OOB_MORPH))
    if scene.after.failed:
        parts.append(why(scene))
    if scene.rows or scene.offers.asides:
        parts.append(f'<div hx-swap-oob="beforeend:#moves">{move_rows(scene)}</div>')
    if scene.say or scene.alert:
        parts.append(say_next(scene))
    return SafeString("".join(parts))


def snapshot(scene: Scene, says: bool = False) -> SafeString:
    """The same with the whole move list (`scene.base` is 0), for any reader; `says`: whether to read news aloud."""
    return SafeString(
        "".join(
            [
                live(scene, REPLACE),
                *_board(scene),
                _players(scene),
                status(scene, OOB_MORPH),
                watching(scene, REPLACE),
                moves(scene, REPLACE),
                offers.form(scene, OOB_MORPH) if scene.offers.allowed else "",
                why(scene) if scene.after.failed else "",
                say_next(scene) if says and (scene.say or scene.alert) else "",
            ]
        )
    )


def board_at(scene: Scene) -> SafeString:
    """Looking back: the board and the words about it. The state of the match itself is left alone."""
    return SafeString("".join([*_board(scene), status(scene, OOB_MORPH)]))


def refused(scene: Scene, code: str, sentence: str) -> SafeString:
    """The answer to a refused move, for its sender."""
    line = refusal_line(code, sentence, scene.far.name)
    said = _plain(line.words)
    return SafeString(
        f"{_status_line(line, '', '', OOB_MORPH)}"
        f'<div id="say-next" data-alert="{escape(said)}" data-code="{code}" hidden{REPLACE}></div>'
    )


def live(scene: Scene, oob: str = "") -> SafeString:
    """Where the match stands; live.js reads it before anything else of a message."""
    return SafeString(
        f'<div id="live" data-seq="{scene.seq}" data-base="{scene.base}" data-ply="{scene.plies}" '
        f'data-status="{scene.phase}" data-now="{scene.signals.now_ms}" hidden{oob}></div>'
    )


def controls(scene: Scene, oob: str = "") -> SafeString:
    """The inside of the move form, with the number of the move but not the CSRF token: it is the same for a whole
    audience. `data-key` lets live.js leave it alone while the choice is the same.
    """
    if not scene.live:
        return _controls(scene.ply + 1, "over", "", oob)
    key = f"{scene.ply}{'+' if scene.choice.enabled else '-'}{scene.choice.hint}"
    return _controls(scene.ply + 1, key, scene.artist.controls(scene.view, scene.choice), oob)


def _controls(ply: int, key: str, inner: str, oob: str = "") -> SafeString:
    number = f'<input type="hidden" name="ply" value="{ply}">' if inner else ""
    return SafeString(f'<div id="controls" data-key="{key}"{oob}>{number}{inner}</div>')


def _reader(draws: Artist, view: View, oob: str = "") -> SafeString:
    return SafeString(f'<div id="reader" class="vh"{oob}><table>{draws.reader(view)}</table></div>')


def player(scene: Scene, card: PlayerCard, place: str, oob: str = "") -> SafeString:
    """`place` is "near" or "far"."""
    return SafeString(
        f'<div id="p-{place}" class="player"{oob}>{SEATS[card.seat]}<div class="who"><span class="name">'
        f'<b dir="auto">{escape(card.name)}</b>{_tag(card)}<span class="vh">, {colour(card.seat)}</span>{_rating(card)}'
        f"{bubble(card.reaction)}</span>"
        f'<span class="small muted">{_presence(scene, card)}{escape(card.line)}{_keep_name(scene, card)}</span></div>'
        f"{_pips(scene, card)}{_clock(scene, card)}</div>"
    )


def _presence(scene: Scene, card: PlayerCard) -> str:
    """Who is there matters during the match, and after it to a player who may ask a person for a rematch. Whose page
    this is has just opened it: its websocket, by which they count as here, comes later.
    """
    if scene.result is not None and (card.tag == "bot" or not scene.after.rematch):
        return ""
    if card.here or card.tag == "you":
        return '<span class="dot"></span> '
    return f'<span class="dot off"></span> {gettext("Offline")} · '


def _tag(card: PlayerCard) -> str:
    match card.tag:
        case "you":
            return f'<span class="tag">{pgettext("whose seat", "you")}</span>'
        case "bot":
            # Where there is little room, the mark in its name and the protocol below say that it is one.
            wide = " only-l" if card.is_marked else ""
            return f'<span class="tag bot{wide}">{pgettext("kind of player", "bot")}</span>'
    return ""


def _rating(card: PlayerCard) -> str:
    if not card.rating:
        return ""
    unsure = f'<span class="vh">, {gettext("not yet settled")}</span>' if card.rating.endswith("?") else ""
    rating = gettext("Rating")
    return f'<span class="small muted num"><span class="vh">{rating} </span>{escape(card.rating)}{unsure}</span>'


def _keep_name(scene: Scene, card: PlayerCard) -> str:
    """Offer a guest to keep the name; nobody else sees this, and a page of somebody who has done so hides it."""
    if card.tag != "you" or not card.is_guest:
        return ""
    offer = f'<a href="/signup/?next={scene.address}">{gettext("keep this name")}</a>'
    return f'<span class="keeps"> · {offer}</span>'


def _pips(scene: Scene, card: PlayerCard) -> str:
    """A square for each round of the series, or the newest of a long one: won, drawn, lost, running, to come."""
    if card.of == 1:
        return ""
    running = "now" if scene.live else ""
    played = [*card.rounds, *([running] if running else [])][: card.of]
    shown = [*played[-MOST_PIPS:], *[""] * min(MOST_PIPS, card.of - len(played))][:MOST_PIPS]
    squares = "".join([f'<i class="{state}"></i>' for state in shown])
    counted = [
        gettext(word).format(n=card.rounds.count(letter)) for letter, word in _ROUNDS.items() if letter in card.rounds
    ]
    words = gettext("Rounds: {counted}").format(counted=", ".join(counted) or gettext("none over yet"))
    return f'<span class="pips" role="img" aria-label="{words}">{squares}</span>'


def _clock(scene: Scene, card: PlayerCard) -> str:
    if card.left_ms is None:
        return ""
    running = f' data-running data-at="{scene.signals.now_ms + card.stands_ms}"' if card.running else ""
    state = " run" if card.running else ""
    label = escape(gettext("Clock of {name}").format(name=card.name))
    return (
        f'<span class="clock num{state}" role="timer" aria-label="{label}" '
        f'data-left="{card.left_ms}"{running}>{minutes(card.left_ms)}</span>'
    )


def status(scene: Scene, oob: str = "") -> SafeString:
    """The status line, or the result card in its place."""
    if scene.result:
        return result_card(scene, scene.result, oob)
    if scene.choice.seat is None or not scene.choice.enabled:
        return _status_line(scene.status, "", "", oob)
    return _status_line(scene.status, SEATS[scene.choice.seat], _keys(scene.artist), oob)


def _keys(artist: Artist) -> str:
    """How to play from the keyboard; until the board has the focus, arrows step through the moves."""
    if not artist.KEYS:
        return ""
    there = gettext("<kbd>B</kbd> board ·")
    return f'<span class="small muted only-l"><span data-letters>{there} </span>{artist.KEYS}</span>'


def _status_line(line: Status, seat: str, keys: str, oob: str) -> SafeString:
    return SafeString(
        f'<div id="status" class="status {line.tone}"{oob}>{seat}<div class="said">{line.words}</div>{keys}</div>'
    )


def why(scene: Scene) -> SafeString:
    """Why a bot failed, requested when it is opened. A reader who may not see its wire learns that."""
    words = gettext("Why {name} failed")
    cards = [
        f'<details class="card flush why" hx-get="{scene.address}why/{seat}/" hx-trigger="toggle once" '
        f'hx-target="find .told"><summary class="card-head">'
        f"<h2>{escape(words.format(name=scene.cards[seat].name))}</h2>"
        f'</summary><div class="told"></div></details>'
        for seat in scene.after.failed
    ]
    return SafeString(f'<div id="why"{REPLACE}>{"".join(cards)}</div>')


def moves(scene: Scene, oob: str = "") -> SafeString:
    """The whole list. htmx must not morph it: with the morph extension an appended wrapper would end up inside it."""
    layout = "pairs" if scene.artist.MOVES_ABREAST == 2 else "singles"
    label, empty = gettext("Moves"), gettext("No moves yet.")
    return SafeString(
        f'<ol id="moves" class="moves {layout}" hx-ext="ignore:morph" aria-label="{label}" '
        f'data-empty="{empty}" tabindex="0"{oob}>'
        f"{move_rows(scene)}</ol>"
    )


def move_rows(scene: Scene) -> SafeString:
    abreast = scene.artist.MOVES_ABREAST
    if not scene.offers.asides:
        return SafeString("".join([_move_row(scene, row, abreast) for row in scene.rows]))
    first = scene.rows[0].ply if scene.rows else 0
    lines = [(row.ply, 0, _move_row(scene, row, abreast)) for row in scene.rows]
    lines += [
        (aside.ply if aside.ply >= first else 0, aside.seq, offers.aside_row(aside)) for aside in scene.offers.asides
    ]
    return SafeString("".join([line for _, _, line in sorted(lines)]))


def _move_row(scene: Scene, row: MoveRow, abreast: int) -> str:
    turn, beside = divmod(row.ply - 1, abreast)
    here = ' aria-current="step"' if scene.past and row.ply == scene.ply else ""
    count = "" if beside else f'<span class="n num">{turn + 1}</span>'
    return (  # One stop of the Tab key, the list, is enough: arrow keys lead from move to move.
        f'<li id="m-{row.ply}">{count}'
        f'<a href="{scene.address}?ply={row.ply}" tabindex="-1" data-step="{row.ply}"{here}>'
        f'{SEATS[row.seat]}<span class="vh">{colour(row.seat)} </span>{scene.artist.listed(row.move, row.note)}'
        f'<span class="num">{decimals(row.elapsed_ms / 1000)} s</span></a>{analysis.remark(row.remark)}</li>'
    )


def say_next(scene: Scene) -> SafeString:
    """Copied into the live regions by live.js, so that the same sentence twice is read twice."""
    return SafeString(
        f'<div id="say-next" data-say="{escape(scene.say)}" data-alert="{escape(scene.alert)}" hidden{REPLACE}></div>'
    )


def watching(scene: Scene, oob: str = "") -> SafeString:
    count = scene.signals.watching
    words = ngettext("{n} watching", "{n} watching", count).format(n=count) if count else ""
    return SafeString(f'<span id="watching" class="small muted num only-l"{oob}>{words}</span>')


def _board(scene: Scene) -> list[str]:
    draws, view = scene.artist, scene.view
    return [draws.pieces(view, OOB_MORPH), controls(scene, OOB_MORPH), _reader(draws, view, OOB_MORPH)]


def _players(scene: Scene) -> str:
    return player(scene, scene.far, "far", OOB_MORPH) + player(scene, scene.near, "near", OOB_MORPH)


def _plain(words: str) -> str:
    """The sentence without its marks; what was escaped stays escaped once."""
    return unescape(strip_tags(words))
