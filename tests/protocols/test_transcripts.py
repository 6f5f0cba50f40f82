r"""Plays every transcript: a conversation with one adapter, as a bot's author would write it down.

A file `transcripts/<slug>.<what it shows>.txt` is one conversation. Each line is one of

    # why, or what the text says
    > PUT 3             the bot sends this and a newline
    >= PUT 3\r          the bot sends exactly these bytes, no newline added
    >EOF                the bot ends its side
    < YOUR_MOVE         the bot receives this line
    <= 31 7 0 0         the bot receives exactly these bytes
    <EOF                the connection is to be closed
    = play 4            the referee is told this
    ! turn              the referee tells the adapter this

In `>` and `<` lines `\r`, `\n`, `\t`, `\\` and `\xNN` are bytes; everywhere `{A*600}` is 600 times A. A trailing `\`
followed by nothing marks a line that ends in blanks: `< Error X \`.

The referee tells (`!`): `admitted` (its token is good) · `joined CODE` · `met` and `alone` (whether somebody has the
other side) · `seated 0` or `seated 0 max anna` (its own and the other's name) · `started`, `started 4453` or `started
variant=santorini-6x6 c3 b2` (these moves are on the board; `stones=9` is a setting, `round=2` of `rounds=3`) · `moved
4` (by the side to move) · `turn` · `refused CODE` · `ended TERMINATION WINNER [move=8] [more]`, the winner 0, 1 or
`none`, `more` when another round follows · `offered NUMBER SEAT draw` · `answered SEAT draw declined` · `takenback SEAT
4453` (these moves stand) · `offer-refused CODE` · `bye` · `tick ack` (this deadline has passed).
The referee is told (`=`): `hello NAME [TOKEN]` · `join CODE` · `queue VARIANT` · `challenge PLAYER` · `ready` ·
`play MOVE` · `resign` · `offer WHAT` · `accept`, `decline` or `withdraw NUMBER` · `closed` · `fault CODE MOVE WHAT
CAME`, the move `-` when it could not be read. A byte that is no UTF-8 stands as `\udcNN`.

Each transcript is played whole (a `>` line is one segment), byte by byte, and glued (all `>` lines up to the next `!`
are one segment). After each step everything written and everything told must be exactly what the transcript says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

import games
from arena.protocols import protocol, protocols
from arena.protocols.adapter import (
    Adapter,
    Admitted,
    BotAnswers,
    BotFault,
    BotMove,
    BotOffers,
    BotResigns,
    BotWithdraws,
    Bye,
    Challenge,
    Closed,
    Company,
    Ended,
    FromBot,
    Hello,
    Join,
    Joined,
    Moved,
    OfferAnswered,
    Offered,
    OfferRefused,
    Queue,
    Ready,
    Refused,
    Seated,
    Started,
    TakenBack,
    ToBot,
    Turn,
)

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
LONG = 300
ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "\\": b"\\", "": b""}


@dataclass(slots=True)
class Step:
    """One line of the bot or of the referee, and what must come of it. `sent` None: the step is an event, or EOF."""

    line: str
    sent: bytes | None = None
    event: str = ""
    written: bytes = b""
    told: list[str] = field(default_factory=list)
    closes: bool = False


@dataclass(slots=True)
class Room:
    """What the referee would know: enough to make events from words."""

    variant: games.Variant
    position: games.Position = field(init=False)

    def __post_init__(self) -> None:
        self.position = self.variant.start()

    def event(self, words: str) -> ToBot:
        kind, *rest = words.split()
        return EVENTS[kind](self, rest)

    def seated(self, words: list[str]) -> Seated:
        you, opponent = words[1:] or ("you", "opponent")
        return Seated(int(words[0]), you, opponent, "5s", "k3v9")

    def started(self, words: list[str]) -> Started:
        said = dict(word.split("=") for word in words if "=" in word)
        self.variant = games.variant(said.pop("variant", self.variant.slug))
        rounds = {name: int(said.pop(name, 1)) for name in ("round", "rounds")}
        settings = {name: int(value) for name, value in said.items()}
        self.position = self.variant.start(**settings)
        for move in self.moves([word for word in words if "=" not in word]):
            self.position = self.position.play(move)
        return Started(self.position, **rounds, variant=self.variant.slug, settings=self.variant.complete(settings))

    def moves(self, words: list[str]) -> list[str]:
        """A Connect Four game is written without blanks."""
        return list("".join(words)) if self.variant.game == "connect-four" else words

    def moved(self, words: list[str]) -> Moved:
        seat = self.position.to_move
        assert seat is not None, "the transcript moves after the end of the match"
        self.position = self.position.play(words[0])
        return Moved(seat, words[0], self.position, (4000, 5000))

    def taken_back(self, words: list[str]) -> TakenBack:
        """The seat that asked, and the moves that stand."""
        position = self.variant.start()
        for move in self.moves(words[1:]):
            position = position.play(move)
        self.position = position
        return TakenBack(int(words[0]), position, (4000, 5000))

    def ended(self, words: list[str]) -> Ended:
        termination, winner, *rest = words
        moves = [word.removeprefix("move=") for word in rest if word.startswith("move=")]
        return Ended(
            winner=None if winner == "none" else int(winner),
            termination=termination,
            reason=termination,
            position=self.position,
            last="more" not in rest,
            move=moves[0] if moves else "",
        )


def _what(word: str) -> Literal["draw", "takeback"]:
    return "draw" if word == "draw" else "takeback"


EVENTS: dict[str, Callable[[Room, list[str]], ToBot]] = {
    "admitted": lambda room, words: Admitted(),
    "joined": lambda room, words: Joined(words[0]),
    "met": lambda room, words: Company(True),
    "alone": lambda room, words: Company(False),
    "seated": Room.seated,
    "started": Room.started,
    "moved": Room.moved,
    "turn": lambda room, words: Turn(room.position, 4000, 5000),
    "refused": lambda room, words: Refused(words[0], "why"),
    "offered": lambda room, words: Offered(int(words[0]), int(words[1]), _what(words[2])),
    "answered": lambda room, words: OfferAnswered(int(words[0]), _what(words[1]), words[2]),
    "takenback": Room.taken_back,
    "offer-refused": lambda room, words: OfferRefused(words[0], "why"),
    "ended": Room.ended,
    "bye": lambda room, words: Bye(),
}


def told(event: FromBot) -> str:
    match event:
        case Hello(name, token):
            return f"hello {_readable(name)} {token}".rstrip()
        case Join(code):
            return f"join {_readable(code)}"
        case Queue(variant):
            return f"queue {variant}"
        case Challenge(player):
            return f"challenge {player}"
        case Ready():
            return "ready"
        case BotMove(text):
            return f"play {text}"
        case BotResigns():
            return "resign"
        case BotOffers(what):
            return f"offer {what}"
        case BotAnswers(offer, accepts):
            return f"{'accept' if accepts else 'decline'} {offer}"
        case BotWithdraws(offer):
            return f"withdraw {offer}"
        case Closed():
            return "closed"
        case BotFault(code, received, expected, move):
            assert expected, "a fault says what was expected"
            return f"fault {code} {move or '-'} {received}".rstrip()


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def repeated(text: str) -> str:
    return re.sub(r"\{(.)\*(\d+)\}", lambda match: match[1] * int(match[2]), text)


def read_bytes(text: str) -> bytes:
    parts = re.findall(r"\\x[0-9a-f]{2}|\\[rnt\\]|\\$|[^\\]+", repeated(text))
    return b"".join(_part(part) for part in parts)


def _part(part: str) -> bytes:
    if part.startswith("\\x"):
        return bytes.fromhex(part[2:])
    return ESCAPES[part[1:]] if part.startswith("\\") else part.encode()


def read_transcript(path: Path) -> list[Step]:
    """The steps of a file; the first is what the adapter does before anything happens."""
    steps = [Step("the beginning")]
    for line in path.read_text().split("\n"):
        if line and not line.startswith("#"):
            _read_line(steps, line)
    return steps


def _read_line(steps: list[Step], line: str) -> None:
    match line[:2], line[2:]:
        case "> ", text:
            steps.append(Step(line, sent=read_bytes(text) + b"\n"))
        case ">=", text:
            steps.append(Step(line, sent=read_bytes(text.removeprefix(" "))))
        case ">E", "OF":
            steps.append(Step(line))
        case "! ", text:
            steps.append(Step(line, event=repeated(text)))
        case "< ", text:
            steps[-1].written += read_bytes(text) + b"\n"
        case "<=", text:
            steps[-1].written += read_bytes(text.removeprefix(" "))
        case "<E", "OF":
            steps[-1].closes = True
        case "= ", text:
            steps[-1].told.append(repeated(text))
        case _:
            raise ValueError(f"a transcript has no line like {line!r}")


def glued(steps: list[Step]) -> list[Step]:
    result: list[Step] = []
    for step in steps:
        if result and step.sent is not None and (sent := result[-1].sent) is not None:
            last = result.pop()
            step = Step(
                f"{last.line} + {step.line}",
                sent=sent + step.sent,
                written=last.written + step.written,
                told=last.told + step.told,
                closes=last.closes or step.closes,
            )
        result.append(step)
    return result


def one_segment(data: bytes) -> Iterator[bytes]:
    yield data


def comes_to(said: list[str], step: Step, segments: Callable[[bytes], Iterator[bytes]]) -> bool:
    """Whether this is what the step says. A word that is judged at its first byte is shown as far as it has come."""
    if segments is byte_by_byte and said[:1] != step.told[:1] and said and said[0].startswith("fault bad_output - "):
        word = said[0].removeprefix("fault bad_output - ")
        return len(word) == 1 and word not in '["' and step.told == [said[0] + step.told[0].removeprefix(said[0])]
    return said == step.told


def byte_by_byte(data: bytes) -> Iterator[bytes]:
    yield from (data[i : i + 1] for i in range(len(data)))


def play(adapter: Adapter, steps: list[Step], segments: Callable[[bytes], Iterator[bytes]]) -> None:
    room = Room(games.variant(adapter.variants[0] if adapter.variants else "connect-four-7x6"))
    closed = False
    for step in steps:
        if step.sent is not None:
            for segment in segments(step.sent):
                adapter.receive_data(segment)
        elif step.event.startswith("tick "):
            adapter.tick(step.event.removeprefix("tick "))
        elif step.event:
            adapter.send(room.event(step.event))
        elif step.line == ">EOF":
            adapter.receive_eof()
        closed = closed or step.closes
        assert adapter.data_to_send() == step.written, step.line
        said = [told(event) for event in adapter.events_received()]
        assert comes_to(said, step, segments), f"{step.line}: {said}, expected {step.told}"
        assert adapter.wants_close == closed, step.line


def adapter_of(path: Path) -> Adapter:
    return protocol(path.name.split(".")[0])()


def each(slug: str, check: Callable[[Path], None], paths: list[Path] = TRANSCRIPTS) -> None:
    """Check every transcript of this adapter, and say of each that is wrong what is."""
    wrong = []
    for path in paths:
        if path.name.split(".")[0] == slug:
            try:
                check(path)
            except Exception as error:
                error.add_note(f"in {path.name}")
                wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"transcripts of {slug}", wrong)


@pytest.mark.parametrize("slug", protocols())
def test_it_is_spoken_as_written(slug: str) -> None:
    each(slug, lambda path: play(adapter_of(path), read_transcript(path), one_segment))


@pytest.mark.parametrize("slug", protocols())
def test_it_is_understood_byte_by_byte(slug: str) -> None:
    each(slug, lambda path: play(adapter_of(path), read_transcript(path), byte_by_byte))


@pytest.mark.parametrize("slug", protocols())
def test_it_is_understood_when_lines_come_glued(slug: str) -> None:
    each(slug, lambda path: play(adapter_of(path), glued(read_transcript(path)), one_segment))


AHEAD = [path for path in TRANSCRIPTS if re.search("ahead|advance|behind|glued|at-once", path.stem)]


@pytest.mark.parametrize("slug", sorted({path.name.split(".")[0] for path in AHEAD}))
def test_what_comes_ahead_is_understood_wherever_it_is_split(slug: str) -> None:
    each(slug, split_anywhere, AHEAD)


def split_anywhere(path: Path) -> None:
    steps = read_transcript(path)
    longest = max(len(step.sent or b"") for step in steps)
    for cut in range(1, longest if longest < LONG else 0):  # of a long one more of it is only more of the same
        play(adapter_of(path), steps, split_at(cut))


def split_at(cut: int) -> Callable[[bytes], Iterator[bytes]]:
    """Two segments of each, the first with this many bytes."""

    def segments(data: bytes) -> Iterator[bytes]:
        yield from (part for part in (data[:cut], data[cut:]) if part)

    return segments


def test_every_protocol_has_a_transcript() -> None:
    assert {path.name.split(".")[0] for path in TRANSCRIPTS} == set(protocols())


def test_every_transcript_that_is_wrong_is_named() -> None:
    def fails(path: Path) -> None:
        assert path not in TRANSCRIPTS[:2]

    with pytest.raises(ExceptionGroup) as found:
        each(TRANSCRIPTS[0].name.split(".")[0], fails)
    assert [error.__notes__ for error in found.value.exceptions] == [[f"in {path.name}"] for path in TRANSCRIPTS[:2]]


def test_a_transcript_with_an_unknown_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "droidcon.wrong.txt"
    path.write_text("? what\n")
    with pytest.raises(ValueError, match="no line like '\\? what'"):
        read_transcript(path)
