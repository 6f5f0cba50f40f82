"""What a match's events mean for a bot, and what a bot's words, its silence and its end mean for its match.

The same for every shell: a session of the server, and the driver without one.
"""

from __future__ import annotations

from arena.match.commands import AnswerOffer, Offer, Withdraw
from arena.match.state import LogEvent, SeatSetup, Setup
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
        """The fields of a seat's setup that its protocol decides."""

        on_illegal: Literal["refuse", "lose"]
        on_offer: Literal["ask", "decline"]


# What a process has done that is ended by us because of it, by what its transport says.
_CLOSED = {"closed": "closed its output and did not exit", CLOSED_INPUT: "closed its input and did not exit"}
# How long a process whose output has ended may take to exit, before it counts as one that only hung up: its opponent
# is told of a failure within a second.
EXIT_S = 0.5
STDERR_SHOWN = 2_000
SOON_S, SELDOM_S, LOOKS = 0.01, 0.2, 2
# After a match that ended otherwise its process may be in any state, and is not kept.
GOOD_ENDINGS = frozenset({"normal", "resign"})


class Loss(NamedTuple):
    """What a lost connection means for its match: a termination, its reason, what came last and what was expected."""

    code: str
    reason: str
    received: str = ""
    expected: str = ""


class Looks:
    """Looks at a program that may say a name before it is asked for anything: the next one comes after `pause_s`.

    Every look walks through /proc, so those at a program that takes long to start become rare. And one of two processes
    may sleep for a moment, while the other has long been waiting for what the first will say: it takes two of them.
    """

    def __init__(self) -> None:
        self.pause_s = SOON_S
        self._waited = 0

    def waits(self, now: bool) -> bool:
        """Whether it is certain that the program waits for its input; `now` is what was seen just now."""
        self._waited = self._waited + 1 if now else 0
        self.pause_s = SOON_S if now else min(2 * self.pause_s, SELDOM_S)
        return self._waited == LOOKS


# -- for a bot ---------------------------------------------------------------------------------------------------------


def started(setup: Setup, position: Position) -> Started:
    """The match begins, or goes on from this position."""
    return Started(position, setup.round, setup.rounds, setup.variant, setup.settings)


def moved(event: LogEvent, position: Position) -> Moved:
    """A move is in the log."""
    assert event.seat is not None, "a move has a seat"
    return Moved(event.seat, event.move, position, (event.left0_ms, event.left1_ms))


def of_offer(event: LogEvent, position: Position) -> Offered | OfferAnswered | TakenBack:
    """Something was offered, answered without effect, withdrawn, or moves were taken back."""
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
    """What a bot says about an offer, looking at the board after `ply` moves."""
    match said:
        case BotOffers(what):
            return Offer(seat, what, ply)
        case BotAnswers(offer, accepts):
            return AnswerOffer(seat, offer, accepts)
        case BotWithdraws(offer):
            return Withdraw(seat, offer)


def program_on_seat(adapter: type[Adapter], name: str) -> SeatSetup:
    """A child process on a seat."""
    startup_ms = round(adapter.ready_s * 1000)
    return SeatSetup(name, "bot", None, adapter.slug, startup_ms=startup_ms, **policies(adapter))


def on_illegal(adapter: Adapter | type[Adapter]) -> Literal["refuse", "lose"]:
    """The protocol's policy in the words of the match: asking again is refusing, the adapter counts."""
    return "lose" if adapter.on_illegal == "lose" else "refuse"


def policies(adapter: Adapter | type[Adapter]) -> Policies:
    """What the protocol says about illegal moves and offers, as a seat has it."""
    return {"on_illegal": on_illegal(adapter), "on_offer": "ask" if adapter.hears_offers else "decline"}


def reason_of(fault: BotFault, name: str) -> str:
    """Why the bot of this name loses, in words."""
    came = "said nothing" if fault.code == "stall" else f"answered '{fault.received}'"
    return f"{name} {came}; expected {fault.expected}"


def not_ready(name: str, ready_s: float) -> str:
    """Why a bot loses whose handshake did not come in its time."""
    return f"{name} was not ready within {ready_s:g} s"


def shown_stderr(stderr: bytes) -> str:
    """The last words of a process, for the log."""
    return stderr[-STDERR_SHOWN:].decode(errors="backslashreplace").replace("\0", "\\x00")


def loss_of_process(name: str, reason: str, exit_words: str, stderr: bytes) -> Loss:
    """What the end of a process means: `reason` is what its transport says, `exit_words` how it exited."""
    last_words = shown_stderr(stderr)
    if reason == exit_words:
        return Loss("crash", f"{name} {stopped(exit_words)}", last_words)
    if reason == FLOODS_STDERR:
        return Loss("resource_limit", "standard error", last_words)
    return Loss("disconnect", f"{name} {_CLOSED.get(reason) or f'is gone: {reason}'}", last_words)


def stopped(exit_words: str) -> str:
    """`stopped with exit code 1`, `was killed by SIGSEGV`."""
    return f"was {exit_words}" if exit_words.startswith("killed") else f"stopped with {exit_words}"
