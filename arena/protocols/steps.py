"""The steps of `check_bot`, as scripts: what a script yields is done with the bot, and it goes on with what came of it.

A script is pure. It names what happens in the vocabulary below, and `arena.bots.conformance` carries it out. Where the
bot fails, `StepFailed` is raised into its script, which may take it, or raise `NotPassed` for a card of its own.
A folder's `steps.py` has `STEPS`, in order; a protocol without one has those that all share.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from arena.protocols.adapter import ToBot
from games import Position, Variant

if TYPE_CHECKING:
    from random import Random

# How long a bot that should say nothing is listened to.
QUIET_S = 0.25


class StepFailed(Exception):
    """The bot failed: `code` and `title` are those of the card that says why."""

    def __init__(self, code: str, title: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.title = title


class NotPassed(Exception):
    """The step is not passed, for what is `known` of such an ending. Without a `code` the cause is looked for."""

    def __init__(self, code: str, termination: str, **known: str) -> None:
        super().__init__(code or termination)
        self.code = code
        self.termination = termination
        self.known = known


class Table(Protocol):
    """What a script plays at. `replies` are the seconds that each answer took so far, of `answer_s` at most."""

    rng: Random
    replies: list[float]

    @property
    def variant(self) -> Variant: ...

    @property
    def answer_s(self) -> float: ...

    def fresh_rng(self) -> Random:
        """The same dice as at the beginning."""
        ...

    def strong_move(self, position: Position) -> str:
        """What a built-in player chooses that most bots lose to."""
        ...


class Begin(NamedTuple):
    """News: a match begins for the bot, on this seat."""

    seat: int
    position: Position
    round: int = 1
    rounds: int = 1
    opponent: str = "opponent"


News = ToBot | Begin


class StartBot(NamedTuple):
    """A fresh process, ready to play; the one before is let go. Its name comes back, "" where it has none."""

    in_pieces: bool = False


class StartRefused(NamedTuple):
    """A fresh process whose every JOIN is refused, for so long; the code of its failure comes back, "" for none."""

    seconds: float


class TellBot(NamedTuple):
    """All of it in one write."""

    news: Sequence[News]


class AskBot(NamedTuple):
    """Its legal move comes back. `news` are told in the same write; the answer is left unread for `late_s`."""

    position: Position
    news: Sequence[News] = ()
    late_s: float = 0.0


class AskAgain(NamedTuple):
    """The same question once more, as after an illegal answer. The move comes back, "" where none comes in time."""

    position: Position
    within_s: float | None = None


class LastLine(NamedTuple):
    """The last line that came behind the last question, as the bot wrote it."""


class Written(NamedTuple):
    """All bytes that came from this bot, or went to it."""

    to_bot: bool = False


class MovesMade(NamedTuple):
    """The moves of this bot in its match so far, in a list."""


class LeaveTime(NamedTuple):
    """Time between two writes."""

    seconds: float = QUIET_S


class BeQuiet(NamedTuple):
    """Nothing comes, or has come, now that nothing is asked; else the bot fails with this code.

    Where it `starts`, the time begins when it has started.
    """

    code: str
    seconds: float = QUIET_S
    starts: bool = False


class Acknowledged(NamedTuple):
    """It owes no acknowledgement any more."""


class AnswersDeadline(NamedTuple):
    """Whether it says this word when this deadline of the adapter has passed."""

    name: str
    word: bytes


class StayOpen(NamedTuple):
    """Its process is left alone when the connection is over."""


class EndInput(NamedTuple):
    """Its input ends; how it ended comes back, "" where it goes on."""


BotAct = (
    StartBot
    | StartRefused
    | TellBot
    | AskBot
    | AskAgain
    | LastLine
    | Written
    | MovesMade
    | LeaveTime
    | BeQuiet
    | Acknowledged
    | AnswersDeadline
    | StayOpen
    | EndInput
)
_T = TypeVar("_T")
Doing = Generator[BotAct, Any, _T]
# What comes back in the end is a note on what the bot did, "" for none.
Script = Doing[str]


class Step(NamedTuple):
    """One named step."""

    name: str
    sentence: str
    run: Callable[[Table], Script]
