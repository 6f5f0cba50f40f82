"""What anyone may ask of a match. Every act of every person, bot and timer is one of these."""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.match.state import OfferKind


class Refusal(Exception):
    """What was asked was not done and nothing changed. `code` is stable, `sentence` is for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Start(NamedTuple):
    """Both seats are ready: the first turn begins."""


class Play(NamedTuple):
    """The seat plays move number `ply`.

    `given_back_ms` here and below: so much of the running turn passed through our fault, and nobody pays for it.
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
    """The seat offers a draw or asks for a takeback (`what`), looking at the board after `ply` moves."""

    seat: int
    what: OfferKind
    ply: int
    actor: str = ""


class AnswerOffer(NamedTuple):
    """The seat accepts or declines the other side's offer, which is the event number `offer`."""

    seat: int
    offer: int
    accepts: bool
    actor: str = ""


class Withdraw(NamedTuple):
    """The seat withdraws its own offer, the event number `offer`."""

    seat: int
    offer: int
    actor: str = ""


class GiveHint(NamedTuple):
    """The seat, looking at the board after `ply` moves, is told that `move` is a good one."""

    seat: int
    ply: int
    move: str
    actor: str = ""


class Flag(NamedTuple):
    """The deadline that was armed after the event `seq` has passed."""

    seq: int
    given_back_ms: int = 0


class Fault(NamedTuple):
    """The seat loses for `code`, one of the terminations that blame a seat.

    `received` and `expected` are for the bot's author, `move` is the rule-breaking move where it could be read.
    """

    seat: int
    code: str
    reason: str
    received: str = ""
    expected: str = ""
    move: str = ""


class Abort(NamedTuple):
    """The match ends without a result. A `seat` may do so before both sides have moved; `code` says whose doing."""

    code: str
    reason: str
    seat: int | None = None
    actor: str = ""


class Adjudicate(NamedTuple):
    """The winner (None: a draw) of a running match is named, by staff or, without an `actor`, by a proof that holds
    after `ply` moves. The reason is read by everyone.
    """

    winner: int | None
    reason: str
    actor: str
    ply: int | None = None


class Rule(NamedTuple):
    """Staff decide after the end what the match counts as: "win" of `winner`, "draw" or "void"; the last one counts."""

    verdict: str
    winner: int | None
    reason: str
    actor: str


class Note(NamedTuple):
    """What was found out about an ended match, and about which seat: for the record, it changes nothing."""

    seat: int
    data: Mapping[str, Any]


class Pause(NamedTuple):
    """Clocks stand; when it goes on, the running turn begins again with what its side had at the turn's begin."""

    reason: str
    actor: str = ""
    given_back_ms: int = 0


class Resume(NamedTuple):
    """Clocks run again. `afresh`: after a restart, when processes of ours are new ones and have to start up again."""

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
