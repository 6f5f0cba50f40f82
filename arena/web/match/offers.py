"""Offers and hints on a match page: the inside of their form, and their lines in the list of moves."""

from __future__ import annotations

from html import escape

from django.utils.safestring import SafeString

from arena.match.state import OpenOffer
from arena.web.match.offer_words import Aside, sentence
from arena.web.match.scene import Scene
from arena.web.tongue import gettext


def aside_row(aside: Aside) -> str:
    """A hint, or what became of an offer, between two moves."""
    return f'<li id="a-{aside.seq}" class="aside small muted">{escape(aside.words)}</li>'


def form(scene: Scene, oob: str = "") -> SafeString:
    """The open offer and its answers, or the possible offers: the inside of the form, which has the CSRF token.

    It contains the number of moves, so that nothing is taken back that the player has not seen.
    """
    seat, offer, inner = scene.seat, scene.offers.open, ""
    if scene.live and offer is not None:
        words = escape(sentence(offer, scene.cards[offer.seat].name, seat))
        inner = f'<div id="wanted" class="row wanted"><p class="grow">{words}</p>{_answers(offer, seat)}</div>'
    elif scene.live and scene.plays:
        buttons = "".join([_button(what, words) for what, words in _may_ask(scene)])
        inner = f'<input type="hidden" name="ply" value="{scene.plies}"><div id="asks" class="row asks">{buttons}</div>'
    return SafeString(f'<div id="offer"{oob}>{inner}</div>')


def _may_ask(scene: Scene) -> list[tuple[str, str]]:
    """What the reader may ask for now: the values of `offer`, with the labels of their buttons.

    What comes and goes during a match stands last: nobody who is about to press another button hits it instead.
    """
    draw = gettext("Agree on a draw") if scene.setup.at_one_screen else gettext("Offer a draw")
    asks = [
        (scene.setup.gives_hints, "hint", gettext("Hint")),
        (scene.setup.offers, "draw", draw),
        (scene.offers.takes_back, "takeback", gettext("Take back")),
    ]
    return [(what, words) for may, what, words in asks if may]


def _button(what: str, words: str) -> str:
    return f'<button class="btn sm" name="offer" value="{what}">{words}</button>'


def _answers(offer: OpenOffer, seat: int | None) -> str:
    if seat is None:
        return ""
    if offer.seat == seat:
        return f'<button class="btn sm" name="withdraw" value="{offer.seq}">{gettext("Withdraw")}</button>'
    return (
        f'<button class="btn sm primary" name="accept" value="{offer.seq}">{gettext("Accept")}</button>'
        f'<button class="btn sm" name="decline" value="{offer.seq}">{gettext("Decline")}</button>'
    )
