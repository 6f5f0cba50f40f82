"""The commands of a match: every act of a person, bot or timer is one of these."""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.match.state import OfferKind


class Refusal(Exception):
    """A command was refused and nothing changed. `code` is stable, `sentence` is for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Start(NamedTuple):
    """Both seats are ready: the first turn begins."""


class Play(NamedTuple):
    """The seat plays move number `ply`. `given_back_ms`, here and below, is time of the turn lost through the server's
    fault or on a person's slow line; nobody is charged for it.
    """

    seat: int
    ply: int
    text: str
    actor: str = ""
    given_back_ms: int = 0


class Resign(NamedTuple):
    seat: int
    actor: str = ""


class Offer(NamedTuple):
    """The seat offers a draw or asks for a takeback (`what`) after `ply` moves."""

    seat: int
    what: OfferKind
    ply: int
    actor: str = ""


class AnswerOffer(NamedTuple):
    """The seat accepts or declines the opponent's offer, made by event number `offer`."""

    seat: int
    offer: int
    accepts: bool
    actor: str = ""


class Withdraw(NamedTuple):
    """The seat withdraws its own offer, made by event number `offer`."""

    seat: int
    offer: int
    actor: str = ""


class GiveHint(NamedTuple):
    """The seat, after `ply` moves, is given the hint that `move` is a good one."""

    seat: int
    ply: int
    move: str
    actor: str = ""


class Flag(NamedTuple):
    """The deadline that was set after event `seq` has passed."""

    seq: int
    given_back_ms: int = 0


class Fault(NamedTuple):
    """The seat loses for `code`, a termination that blames a seat. `received` and `expected` are for the bot's author;
    `move` broke the rules, if it could be read.
    """

    seat: int
    code: str
    reason: str
    received: str = ""
    expected: str = ""
    move: str = ""


class Abort(NamedTuple):
    """The match ends without a result. A `seat` may abort before both sides have moved; `code` names the cause."""

    code: str
    reason: str
    seat: int | None = None
    actor: str = ""


class Adjudicate(NamedTuple):
    """Decide a running match in favour of `winner` (None for a draw): by staff, or, without an `actor`, by a proof that
    holds after `ply` moves. The reason is public.
    """

    winner: int | None
    reason: str
    actor: str
    ply: int | None = None


class Rule(NamedTuple):
    """Staff decide how an ended match counts: "win" of `winner`, "draw" or "void". The last ruling applies."""

    verdict: str
    winner: int | None
    reason: str
    actor: str


class Note(NamedTuple):
    """A finding about an ended match, and about which seat; it is recorded and changes nothing."""

    seat: int
    data: Mapping[str, Any]


class Pause(NamedTuple):
    """Clocks stop. When the match resumes, the running turn starts over with the time its side had at its start."""

    reason: str
    actor: str = ""
    given_back_ms: int = 0


class Resume(NamedTuple):
    """Clocks run again. `afresh`: after a server restart, when the server's processes have to start up again."""

    actor: str = ""
    afresh: bool = False


Command = (
    Start
    | Play
    | Resign
    | Offer
    | AnswerOffer
    | Withdraw
    | GiveHint
    | Flag
    | Fault
    | Abort
    | Adjudicate
    | Rule
    | Note
    | Pause
    | Resume
)
