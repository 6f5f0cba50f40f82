"""The steps of `check_bot` as scripts: a script yields what to do with the bot and is resumed with the result.

A script is pure. It yields the actions below, and `arena.bots.conformance` carries them out. If the bot fails,
`StepFailed` is raised in its script, which may catch it, or raise `NotPassed` for a card of its own. A folder's
`steps.py` defines `STEPS`, in order; a protocol without one has only the shared steps.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from arena.protocols.adapter import ToBot
from games import Position, Variant

if TYPE_CHECKING:
    from random import Random

# How many seconds to listen to a bot that should say nothing.
QUIET_S = 0.25


class StepFailed(Exception):
    """The bot failed: `code` and `title` are those of the card that explains it."""

    def __init__(self, code: str, title: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.title = title


class NotPassed(Exception):
    """The step failed, with the `known` facts of the failure. Without a `code`, the cause is searched for."""

    def __init__(self, code: str, termination: str, **known: str) -> None:
        super().__init__(code or termination)
        self.code = code
        self.termination = termination
        self.known = known


class Table(Protocol):
    """The context of a script. `replies` are the seconds that each answer took so far; the limit is `answer_s`."""

    rng: Random
    replies: list[float]

    @property
    def variant(self) -> Variant: ...

    @property
    def answer_s(self) -> float: ...

    def fresh_rng(self) -> Random:
        """A new generator with the same seed as the first."""
        ...

    def strong_move(self, position: Position) -> str:
        """The move of a built-in player that beats most bots."""
        ...


class Begin(NamedTuple):
    """News: a match begins for the bot on this seat."""

    seat: int
    position: Position
    round: int = 1
    rounds: int = 1
    opponent: str = "opponent"


News = ToBot | Begin


class StartBot(NamedTuple):
    """Start a new process that is ready to play, and end the one before. Gives its name, "" if it has none."""

    in_pieces: bool = False


class StartRefused(NamedTuple):
    """Start a new process and refuse all its JOINs for `seconds`. Gives the code of its failure, "" for none."""

    seconds: float


class TellBot(NamedTuple):
    """Send all news in one write."""

    news: Sequence[News]


class AskBot(NamedTuple):
    """Ask for a move after `news`, in one write, leaving the answer unread for `late_s`. Gives the bot's legal move."""

    position: Position
    news: Sequence[News] = ()
    late_s: float = 0.0


class AskAgain(NamedTuple):
    """Repeat the request, as after an illegal answer. Gives the move, "" if none comes in time."""

    position: Position
    within_s: float | None = None


class LastLine(NamedTuple):
    """Gives the last line after the last request, as the bot wrote it."""


class Written(NamedTuple):
    """Gives all bytes from this bot, or those sent to it."""

    to_bot: bool = False


class MovesMade(NamedTuple):
    """Gives a list of this bot's moves in its match so far."""


class LeaveTime(NamedTuple):
    """Pause between two writes."""

    seconds: float = QUIET_S


class BeQuiet(NamedTuple):
    """The bot must send nothing unasked, or fails with this code; if it `starts`, the time begins after that."""

    code: str
    seconds: float = QUIET_S
    starts: bool = False


class Acknowledged(NamedTuple):
    """Wait until the bot has acknowledged everything."""


class AnswersDeadline(NamedTuple):
    """Gives whether the bot sends this word when this deadline of the adapter has passed."""

    name: str
    word: bytes


class StayOpen(NamedTuple):
    """Do not end the bot's process when its connection ends."""


class EndInput(NamedTuple):
    """End the bot's input. Gives how it exited, "" if it goes on."""


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
# Returns a note on what the bot did, "" for none.
Script = Doing[str]


class Step(NamedTuple):
    """One named step. Its `advice` replaces that of the card of a bot that fails it."""

    name: str
    sentence: str
    run: Callable[[Table], Script]
    advice: str = ""
