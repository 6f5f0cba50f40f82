"""The card on the page of a match that is over: how it ended, and what to do next."""

from __future__ import annotations

from html import escape

from django.templatetags.static import static
from django.utils.safestring import SafeString

from arena.web.match import analysis
from arena.web.match.offer_words import again
from arena.web.match.result import FRIENDLY, ResultCard
from arena.web.match.scene import Scene
from arena.web.tongue import gettext, pgettext
from arena.web.words import isolated

# As many letters as a line holds on the narrowest phone.
MOST_IN_A_LINE = 46
# Confetti at both ends of the line above the reason, where no language has words: x, y, colour and shape in a drawing
# of 700 by 96.
_RING, _DIAMOND, _DOT = '<circle r="7"/>', '<path d="M0-6L6 0 0 6-6 0z"/>', '<circle r="2"/>'
_CHEER_AT = (
    *((10, 27, "o", _RING), (27, 10, "g", _DOT), (26, 44, "g", _DIAMOND), (43, 24, "b", _DIAMOND)),
    *((50, 45, "b", _DOT), (63, 12, "o", _RING), (66, 35, "g", _RING), (83, 24, "o", _DOT)),
    *((616, 26, "b", _DOT), (632, 13, "o", _DIAMOND), (638, 37, "g", _RING), (652, 20, "b", _DIAMOND)),
    *((660, 44, "o", _DOT), (672, 10, "g", _DOT), (676, 33, "b", _DIAMOND), (691, 18, "o", _RING)),
)
CHEER = SafeString(
    '<svg class="cheer" viewBox="0 0 700 96" aria-hidden="true">'
    + "".join(f'<g transform="translate({x} {y})"><g class="{tint}">{shape}</g></g>' for x, y, tint, shape in _CHEER_AT)
    + "</svg>"
)


def result_card(scene: Scene, card: ResultCard, oob: str) -> SafeString:
    """The words and the buttons: fit.css lays the words over the board if there is room above it."""
    follows = f"<p>{scene.after.next_round.words}</p>" if scene.after.next_round else ""
    return SafeString(
        f'<div id="status" class="result {card.tone}"{oob}><div class="headline {card.tone}">'
        f"{CHEER if card.tone == 'won' else ''}<h2>{_with_names(scene, card.title)}</h2>"
        f"{reason_line(card.reason, card.notes)}</div>"
        f'<div class="ways">{follows}{_wanted(scene)}'
        f'<div class="row">{_ways_on(scene)}'
        f"{analysis.way_to_board(scene.setup.variant, scene.address)}"
        f'<button class="btn" type="button" data-copy="{scene.shared}" '
        f'data-copied="{gettext("Link copied")}">'
        f"{_icon('link')}<span>{gettext('Copy link')}</span></button></div></div></div>"
    )


def _with_names(scene: Scene, title: str) -> str:
    """A name in its own writing direction, which is cut if the line is too short; the words around it are not."""
    said = escape(title)
    for name in (escape(isolated(scene.near.name)), escape(isolated(scene.far.name))):
        if said.startswith(name):
            return said.replace(name, f"<bdi>{name}</bdi>", 1)
    return said


def reason_line(reason: str, notes: tuple[str, ...]) -> str:
    """The reason in one line with the notes after it: a dot stands between them, and no full stop before it. Long text,
    such as a proof or both ratings, is cut if the line is short, and shown whole after a tap.
    """
    reason = reason.removesuffix(".") if notes else reason
    tail = "".join([_note(note) for note in notes])
    said = f'<span class="reason">{escape(reason)}</span>{tail}'
    if len(" · ".join([reason, *(note for note in notes if not _is_known(note))])) <= MOST_IN_A_LINE:
        return f"<p>{said}</p>"
    return f'<details class="uncut"><summary>{said}</summary><p class="card">{escape(reason)}{tail}</p></details>'


def _note(note: str) -> str:
    return f' <span class="note num{" friendly" if _is_known(note) else ""}">· {escape(note)}</span>'


def _is_known(note: str) -> bool:
    """Phones leave out that a match was friendly, which both players know."""
    return note == gettext(FRIENDLY)


def _icon(name: str) -> str:
    return f'<svg class="icon" aria-hidden="true"><use href="{static("icons.svg")}#{name}"/></svg>'


def _ways_on(scene: Scene) -> str:
    """The buttons. Between rounds the next begins by itself: nothing to press, no prominent way to leave."""
    after = scene.after
    if after.rematched:
        words = gettext("Go to the rematch")
        return f'<a class="btn primary" href="/m/{after.rematched}/">{_icon("again")}{words}</a>{_to_others(scene, "")}'
    offered = after.rematch and not after.wants and not after.asked
    alone = after.rematch and (bool(after.declined) or _is_gone(scene))
    again = (
        f'<button class="btn{"" if alone else " primary"}" form="rematch">{_icon("again")}{gettext("Rematch")}</button>'
        if offered
        else ""
    )
    main = "" if again and not alone or after.wants or not after.over or after.asked and not alone else " primary"
    return again + _to_others(scene, main, alone=alone)


def _to_others(scene: Scene, style: str, *, alone: bool = False) -> str:
    """A watcher had no opponent."""
    other = gettext("Play somebody else") if alone else gettext("New opponent")
    words = pgettext("button", "Play") if scene.seat is None else other
    return f'<a class="btn{style}" href="/">{_icon("person")}{words}</a>'


def _is_gone(scene: Scene) -> bool:
    """Whether the opponent is a person who has closed the page."""
    rematch = scene.after.rematch and not scene.setup.at_one_screen
    return rematch and not scene.far.here and scene.far.tag != "bot"


def _wanted(scene: Scene) -> str:
    """What the two players said about a rematch: who asked, who waits, who declined, who has left."""
    if scene.after.wants:
        words = escape(again(scene.after.wants, ""))
        return (
            f'<div class="row wanted"><p class="grow">{words}</p>'
            f'<button class="btn primary" form="rematch">{pgettext("button", "Play")}</button>'
            f'<button class="btn" form="no-rematch">{gettext("No")}</button></div>'
        )
    if scene.after.declined:
        return f'<div class="wanted">{escape(again("", scene.after.declined))}</div>'
    if _is_gone(scene):
        comes = " " + gettext("The rematch begins if they come back.") if scene.after.asked else ""
        return f'<div class="wanted">{_about(scene, gettext("{name} has left."))}{comes}</div>'
    waits = _about(scene, gettext("Waiting for {name} to answer."))
    return f'<div class="wanted">{waits}</div>' if scene.after.asked else ""


def _about(scene: Scene, words: str) -> str:
    return escape(words.format(name=scene.far.name))
