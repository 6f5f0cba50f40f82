"""Challenges as pages show them: received, sent and answered ones, on any page that a player has open."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.host import Host
from arena.match.clock import parse_clock
from arena.rooms.challenges import ChallengeAnswer, OpenChallenge
from arena.web.elsewhere import of_the_host
from arena.web.words import clock_words, title_of

# Nobody who plays a person should be hurried; "1 s a move" is for programs.
CLOCKS = ("none", "5m", "2m", "move:30s")
# Two strangers like to know when it will be over.
USUAL_CLOCK = "5m"


@of_the_host
async def waiting(host: Host, player: int) -> dict[str, Any]:
    """Like `shown`, for a page being rendered."""
    return shown(host, player)


@of_the_host
async def between(host: Host, player: int, visitor: int | None) -> dict[str, Any]:
    """What a profile says to its visitor: whether the player is `here`, and the codes of the rooms of challenges that
    the visitor has `sent` them or `received` from them, "" for none.
    """
    challenges = host.lobby.challenges
    return {
        "here": challenges.is_here(player),
        "sent": next((each.code for each in challenges.sent(visitor) if each.whom == player), ""),
        "received": next((each.code for each in challenges.received(visitor) if each.by == player), ""),
    }


def shown(host: Host, player: int) -> dict[str, Any]:
    """`received` and `sent` challenges, `answers` to the latter, in words; and `calls` to matches of events."""
    challenges = host.lobby.challenges
    return {
        "calls": [{"code": each.code, "event": each.event, "slug": each.slug} for each in challenges.calls(player)],
        "received": [_card(each) for each in challenges.received(player)],
        "sent": [_card(each) for each in challenges.sent(player)],
        "answers": [_answer(each) for each in challenges.answers(player)],
    }


def drawn(host: Host, player: int) -> SafeString:
    """The same for a page that is open."""
    return render_to_string("arena/fragments/challenges.html", {"asked": shown(host, player)})


def _card(challenge: OpenChallenge) -> dict[str, Any]:
    clock = clock_words(parse_clock(challenge.clock)) or _("no clock")
    counts = _("rated") if challenge.rated else _("friendly")
    return {
        "code": challenge.code,
        "by": challenge.by_name,
        "whom": challenge.whom_name,
        "line": " · ".join((title_of(challenge.variant), clock, counts)),
    }


def _answer(answer: ChallengeAnswer) -> dict[str, Any]:
    return {**_card(answer.challenge), "words": answer_words(answer), "waits": answer.said == "accepted"}


def answer_words(answer: ChallengeAnswer) -> str:
    said = {
        "accepted": _("{name} is there, waiting for you."),
        "declined": _("{name} has declined."),
        "expired": _("{name} has not answered."),
    }[answer.said]
    return said.format(name=answer.challenge.whom_name)
