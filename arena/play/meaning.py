"""What a match's events mean for a bot, and what a bot's messages, silence and exit mean for its match.

Shared by the sessions of the server and the driver without one.
"""

from __future__ import annotations

from arena.match.commands import AnswerOffer, Offer, Withdraw
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.play.flood import LINES
from arena.protocols.adapter import (
    Adapter,
    BotAnswers,
    BotFault,
    BotOffers,
    BotWithdraws,
    Ended,
    Moved,
    OfferAnswered,
    Offered,
    Started,
    TakenBack,
)
from arena.transports.process import CLOSED_INPUT, FLOODS_STDERR
from games import Position
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal, TypedDict

    class Policies(TypedDict):
        """The fields of a seat's setup that its protocol determines."""

        on_illegal: Literal["refuse", "lose"]
        on_offer: Literal["ask", "decline"]


# What a process did, by its transport's reason, if we ended it for that.
_CLOSED = {"closed": "closed its output and did not exit", CLOSED_INPUT: "closed its input and did not exit"}
# How long a process may take to exit after its output has ended, before it counts as having only closed it: the
# opponent must learn of a failure within a second.
EXIT_S = 0.5
# How long a program that has been told of the end of its match may take to exit by itself.
LEAVING_S = 0.5
STDERR_SHOWN = 2_000
SOON_S, SELDOM_S, LOOKS = 0.01, 0.2, 2
# After any other ending the process may be in any state, so it is not kept.
GOOD_ENDINGS = frozenset({"normal", "resign"})


class Loss(NamedTuple):
    """The effect of a lost connection: a termination, its reason, the last input and what was expected."""

    code: str
    reason: str
    received: str = ""
    expected: str = ""


class Looks:
    """Checks whether a program waits for input instead of saying an optional name; the next check is due after
    `pause_s`. Each walks through /proc, so they become rare. Two in a row are required: one process may sleep for a
    moment.
    """

    def __init__(self) -> None:
        self.pause_s = SOON_S
        self._waited = 0

    def waits(self, now: bool) -> bool:
        """Whether the program certainly waits for input; `now` is the result of the latest check."""
        self._waited = self._waited + 1 if now else 0
        self.pause_s = SOON_S if now else min(2 * self.pause_s, SELDOM_S)
        return self._waited == LOOKS


# -- for a bot ---------------------------------------------------------------------------------------------------------


def started(setup: Setup, position: Position) -> Started:
    """The match begins, or continues from this position."""
    return Started(position, setup.round, setup.rounds, setup.variant, setup.settings)


def moved(event: LogEvent, position: Position) -> Moved:
    """A move was logged."""
    assert event.seat is not None, "a move has a seat"
    return Moved(event.seat, event.move, position, (event.left0_ms, event.left1_ms))


def of_offer(event: LogEvent, position: Position) -> Offered | OfferAnswered | TakenBack:
    """An offer was made, declined or withdrawn, or moves were taken back."""
    assert event.seat is not None, "somebody has said it"
    if event.kind == "takeback":
        return TakenBack(event.seat, position, (event.left0_ms, event.left1_ms))
    if event.kind == "offered":
        return Offered(event.seq, event.seat, event.data["what"])
    return OfferAnswered(event.seat, event.data["what"], event.kind)


def ended(event: LogEvent, position: Position, last: bool) -> Ended:
    """The match is over; `last`: so is the series."""
    data = event.data
    return Ended(data["winner"], data["termination"], data["reason"], position, last, data.get("move", ""))


# -- for its match -----------------------------------------------------------------------------------------------------


def about_offer(said: BotOffers | BotAnswers | BotWithdraws, seat: int, ply: int) -> Offer | AnswerOffer | Withdraw:
    """The command for what a bot says about an offer after `ply` moves."""
    match said:
        case BotOffers(what):
            return Offer(seat, what, ply)
        case BotAnswers(offer, accepts):
            return AnswerOffer(seat, offer, accepts)
        case BotWithdraws(offer):
            return Withdraw(seat, offer)


def program_on_seat(adapter: type[Adapter], name: str) -> SeatSetup:
    """The setup of a seat for a child process."""
    startup_ms = round(adapter.ready_s * 1000)
    return SeatSetup(name, "bot", None, adapter.slug, startup_ms=startup_ms, **policies(adapter))


def on_illegal(adapter: Adapter | type[Adapter]) -> Literal["refuse", "lose"]:
    """The protocol's policy as the match knows it: asking again means refusing, and the adapter counts."""
    return "lose" if adapter.on_illegal == "lose" else "refuse"


def policies(adapter: Adapter | type[Adapter]) -> Policies:
    """The protocol's policies on illegal moves and offers, as fields of a seat's setup."""
    answers = adapter.hears_offers if isinstance(adapter, type) else adapter.answers_offers
    return {"on_illegal": on_illegal(adapter), "on_offer": "ask" if answers else "decline"}


def reason_of(fault: BotFault, name: str) -> str:
    """Why the bot of this name loses, in words."""
    came = "said nothing" if fault.code == "stall" else f"answered '{fault.received}'"
    return f"{name} {came}; expected {fault.expected}"


def not_ready(name: str, ready_s: float) -> str:
    """Why a bot loses whose handshake was not complete in time, in words."""
    return f"{name} was not ready within {ready_s:g} s"


def flooded(name: str) -> Loss:
    """The loss of a bot that sends more lines than it may."""
    return Loss(
        "bad_output", f"{name} sent more than {LINES.at_once:g} lines at once and {LINES.per_second:g} a second"
    )


def shown_stderr(stderr: bytes) -> str:
    """The last output of a process on its standard error, for the log."""
    return stderr[-STDERR_SHOWN:].decode(errors="backslashreplace").replace("\0", "\\x00")


def loss_of_process(name: str, reason: str, exit_words: str, stderr: bytes) -> Loss:
    """The effect of the end of a process: `reason` is from its transport, `exit_words` says how it exited."""
    last_words = shown_stderr(stderr)
    if reason == exit_words:
        return Loss("crash", f"{name} {stopped(exit_words)}", last_words)
    if reason == FLOODS_STDERR:
        return Loss("resource_limit", "standard error", last_words)
    return Loss("disconnect", f"{name} {_CLOSED.get(reason) or f'is gone: {reason}'}", last_words)


def stopped(exit_words: str) -> str:
    """For example `stopped with exit code 1` or `was killed by SIGSEGV`."""
    return f"was {exit_words}" if exit_words.startswith("killed") else f"stopped with {exit_words}"
