"""The offers on a match page: the inside of their form, and their lines in the list of moves."""

from __future__ import annotations

from html import escape

from django.utils.safestring import SafeString, mark_safe

from arena.match.state import OpenOffer
from arena.web.match.offer_words import sentence
from arena.web.match.scene import Aside, Scene


def aside_row(aside: Aside) -> str:
    """What became of an offer, between two moves."""
    return f'<li id="a-{aside.seq}" class="aside small muted">{escape(aside.words)}</li>'


def form(scene: Scene, oob: str = "") -> SafeString:
    """The open offer and its answers, or what may be offered: the inside of the form, which has the CSRF token.

    The number of moves is in here, so that nothing is taken back that the asker has not seen.
    """
    seat, offer, inner = scene.seat, scene.offers.open, ""
    if scene.live and offer is not None:
        words = escape(sentence(offer, scene.cards[offer.seat].name, seat))
        inner = f'<div class="row wanted"><p class="grow">{words}</p>{_answers(offer, seat)}</div>'
    elif scene.live and scene.plays:
        draw = "Agree on a draw" if scene.setup.at_one_screen else "Offer a draw"
        inner = (
            f'<input type="hidden" name="ply" value="{scene.plies}"><div class="row asks">'
            '<button class="btn sm" name="offer" value="takeback">Take back</button>'
            f'<button class="btn sm" name="offer" value="draw">{draw}</button></div>'
        )
    return mark_safe(f'<div id="offer"{oob}>{inner}</div>')


def _answers(offer: OpenOffer, seat: int | None) -> str:
    if seat is None:
        return ""
    if offer.seat == seat:
        return f'<button class="btn sm" name="withdraw" value="{offer.seq}">Withdraw</button>'
    return (
        f'<button class="btn sm primary" name="accept" value="{offer.seq}">Accept</button>'
        f'<button class="btn sm" name="decline" value="{offer.seq}">Decline</button>'
    )
