"""The known facts of one failure of a bot, and the words they provide for its card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate, takewhile

from arena.bots.failure import answers
from arena.bots.failure.cards import FactLine
from arena.bots.failure.wrong_byte import wrong_byte
from arena.match.clock import parse_clock
from arena.match.decide import ONE_OF
from arena.match.evolve import standing
from arena.match.state import LogEvent, MatchState
from arena.protocols import facts_of, grammars, protocols
from arena.protocols.adapter import Adapter, BotFault, Join, Joined, Seated
from arena.protocols.framing import CUT, LINE_CAP, SHOWN, shown
from arena.protocols.hints import Evidence, Timing, as_bytes
from arena.protocols.seat_line import WORD, without_seat_line
from games import Position

# The reasons for which connections end: the transports' texts and ours.
CLOSINGS = {
    "closed": "the arena has closed it",
    "closed by the bot": "the bot has closed it",
    "the peer has closed": "the bot has closed it",
    "Broken pipe": "the bot has closed it",
}
# How the reason of a match begins that was lost by such an end.
GONE = "the connection is gone: "
# What all transports say of a bot that they have cut off because too much waited for it.
UNREAD = "does not read"
# What is said of a program that has not connected and waits for what somebody types.
ASKS = "waits for something on its standard input"
STDERR_LINES = 12
STDERR_BYTES = 2_000
# How many letters of legal moves are listed.
MOST_LISTED = 100
# Used instead of a termination if there was no match.
LEFT = "left_early"
_DEATHS = frozenset({"crash", "resource_limit", "disconnect"})
# Endings of a bot that was dropped before its match began, which do not say why.
_UNSAID = frozenset({"disconnect", "stall", LEFT})

# Endings for which an earlier refusal may be the cause.
_SILENT = frozenset({"timeout", "stall"})
# Endings of a bot that may have been sent away and is not back.
_UNANSWERED = frozenset({"timeout", "disconnect"})

# An error of a program's language.
TRACEBACK = r"(?m)Traceback \(most recent call last\)|^    at .*:\d+|panicked at|Exception in thread|^goroutine \d+"
# How a terminal is told where to write.
_ON_SCREEN = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_GONE = re.compile("its connection was over before its match: (.+)")
_EXIT = re.compile(r"(?:stopped with|was) ((?:exit code|killed by) \S+)")
# What a bot wrote to standard error that was stopped for it (`STDERR_AT_ONCE` and `STDERR_PER_S` of its process).
TOO_MUCH = "more than 4 MiB at once and 1 MiB a second after that"
# That a program or file is missing is such a line, too: /usr/bin/env has another after it.
_ERROR_LINE = re.compile(
    r"^\S*(?:Error|Exception|error|panicked|panic)\b.*$|^.*: (?:No such file or directory|(?:command )?not found)$"
    r"|^Can't locate .*$",
    re.MULTILINE,
)


# Bytes on a wire, in order: `in` came from the bot, `out` was written to it, `err` came from its stderr.
Passed = tuple[str, bytes]


def from_match(
    state: MatchState,
    events: Sequence[LogEvent],
    wires: tuple[Iterable[Passed], Iterable[Passed]] = ((), ()),
    reads_input: tuple[bool | None, bool | None] = (None, None),
) -> Evidence | None:
    """The facts of a failure from an ended match's log and the wires of its seats; None if no bot is to blame.
    `reads_input`: whether the seats' processes waited for input then.
    """
    ended = events[-1]
    seat = blamed_seat(state, ended)
    if seat is None:
        return None
    setup, said = state.setup.seats[seat], ended.data
    received = str(said.get("received", ""))
    passed = list(wires[seat])
    died = ended.data["termination"] in _DEATHS
    exited = _EXIT.search(state.reason)
    evidence = Evidence(
        protocol=setup.protocol,
        termination=str(said["termination"]),
        reason=state.reason,
        received="" if died else received,
        expected=_as_written(state, seat, str(said.get("expected", "")), passed),
        move=str(said.get("move", "")),
        moves=tuple(move.move for move in standing(events) if move.seat == seat),
        position=state.position,
        exit=exited[1] if exited else "",
        stderr=received if died else "",
        reads_input=reads_input[seat],
        timing=Timing(ended.elapsed_ms, state.setup.clock, setup.startup_ms),
        heard=not state.reason.startswith("nobody connected"),
    )
    if evidence.termination == "no_start" and (gone := _GONE.search(state.reason)):
        evidence = replace(evidence, termination=LEFT, reason=CLOSINGS.get(gone[1], gone[1]))
    elif evidence.termination == "no_start" and exited and not _was_dropped(setup.protocol, passed):
        evidence = replace(evidence, termination="crash")  # a client that was started for its seat
    elif evidence.termination == "no_start" and any(way == "in" for way, _ in passed):
        evidence = replace(evidence, termination="stall")  # it has come, and did not get ready
    return with_wire(evidence, passed)


def _as_written(state: MatchState, seat: int, expected: str, wire: list[Passed]) -> str:
    """What was expected, as this seat's bot writes it: under its own name, if the wire tells that."""
    setup = state.setup.seats[seat]
    if setup.protocol not in protocols() or not expected.startswith(ONE_OF):
        return expected
    adapter = protocols()[setup.protocol]()
    unasked = takewhile(lambda passed: passed[0] == "in" or not answers.is_request(setup.protocol, passed[1]), wire)
    adapter.receive_data(_bytes(_without_tokens(unasked), "in")[: answers.LOOKED_AT])
    adapter.send(Seated(seat, setup.name, state.setup.seats[1 - seat].name, state.setup.clock))
    return as_written(adapter, state.position, expected)


def as_written(adapter: Adapter, position: Position, expected: str) -> str:
    """Legal moves that were expected, as a bot writes them; anything else as it is."""
    if not expected.startswith(ONE_OF):
        return expected
    listed, cut, _ = expected.removeprefix(ONE_OF).partition(" …")
    moves = listed.split(", ")
    said = [adapter.on_the_wire(move) or adapter.answer_to(position, move).strip() for move in moves]
    fit = [move for move, end in zip(said, accumulate(map(len, said)), strict=True) if end <= MOST_LISTED] or said[:1]
    more = cut if len(fit) == len(said) else " …"
    return f"{ONE_OF}{', '.join(fit)}{more}" if all(said) else expected


def answer_with(slug: str, move: str, since: bytes, before: bytes) -> str:
    """The answer that said this move, if its words cannot be told from the move: in what came `since` the request, or
    the last one `before`.
    """
    if facts_of(slug).on_the_wire(move):
        return move
    return shown(answers.first_answer(slug, since) or answers.last_answer(slug, before)) or move


def from_connection(slug: str, why: str, wire: Iterable[Passed]) -> Evidence:
    """The facts of a bot that left before a match began; `why` is its transport's reason."""
    said = [(way, data) for way, data in _without_tokens(wire) if way == "in"]  # no requests were sent, only replies
    evidence = with_wire(Evidence(slug, LEFT, CLOSINGS.get(why, why), expected=grammars.first_words(slug)), said)
    first = _bytes(said, "in").partition(b"\n")[0]
    return replace(evidence, received=shown(first)) if grammars.is_web_client(first) else evidence


def with_wire(evidence: Evidence, wire: list[Passed]) -> Evidence:
    """Add facts from the wire: the last request, the input after it, and earlier input that answered nothing."""
    wire = _without_tokens(wire)
    if not wire:  # neither side sent anything
        return replace(evidence, heard=evidence.heard and evidence.termination != "stall")
    slug = evidence.protocol
    asked = [index for index, (way, data) in enumerate(wire) if way == "out" and answers.is_request(slug, data)]
    if not asked and evidence.termination in _UNSAID and (fault := _fault_in(slug, _bytes(wire, "in"))) is not None:
        return replace(evidence, termination=fault.code, received=fault.received, expected=fault.expected)
    last = asked[-1] if asked else 0
    refused = facts_of(slug).first_refusal(_bytes(wire[last:], "out"))
    if refused and evidence.termination in _SILENT:
        said = (refused["received"], refused["expected"], refused["hint"])
        evidence = replace(evidence, received=said[0], expected=said[1], refusal=said[2])
    told = next((data for way, data in reversed(wire) if way == "out"), b"")
    if evidence.termination in _UNANSWERED and (sentence := answers.sent_away(slug, told)):
        evidence = replace(evidence, refusal=sentence)
    since = _bytes(wire[last:], "in")
    if evidence.move and evidence.received == evidence.move:
        evidence = replace(evidence, received=answer_with(slug, evidence.move, since, _bytes(wire[:last], "in")))
    late = answers.late_answer(slug, since) if asked and evidence.termination == "timeout" and not refused else b""
    if evidence.termination == "bad_output":
        evidence = replace(evidence, received=_whole(slug, evidence.received, since))
    before = _bytes(wire[asked[-2] if len(asked) > 1 else 0 : last], "in")
    again = "" if late else shown(answers.asked_again(slug, [wire[index][1] for index in asked], before))
    if again and evidence.termination in _SILENT:
        evidence = replace(evidence, received=again, refusal="the same line was sent again")
    return replace(
        evidence,
        received=shown(late) or evidence.received,
        asked=shown(wire[last][1].rstrip(b"\n").rpartition(b"\n")[2]) if asked else "",
        unfinished="" if late else shown(answers.unfinished(slug, since)),
        ahead=_is_ahead(slug, asked, wire),
        unasked=shown(answers.unasked(slug, before, first=len(asked) < 2)),
        stderr=evidence.stderr or _text(_bytes(wire, "err")),
        detail=evidence.detail or failure_in(evidence.termination, _text(_bytes(wire[last:], "err"))),
        repeats=_repeats(slug, wire),
        heard=any(way == "in" for way, _ in wire),
    )


def _repeats(slug: str, wire: list[Passed]) -> bool:
    """Whether the bot wrote a line that had been sent to it, which is no message of its own."""
    sent = {line.strip() for line in _bytes(wire, "out").splitlines()} - {b""}
    said = _bytes(wire, "in")[: answers.LOOKED_AT].splitlines()
    lines = {_ON_SCREEN.sub(b"", line).strip() for line in said}
    return any(not grammars.understands(slug, line) for line in lines & sent)


def _is_ahead(slug: str, asked: list[int], wire: list[Passed]) -> bool:
    """Whether the answer to the last request, at the last index in `asked`, came before it or was meant for another.

    A bot that once answers ahead of a request is out of step from then on, even if a busy machine delivers its further
    answers after the requests that they are taken for. Input after the last request proves nothing if every line is an
    answer: a bot that says everything twice continues while its match is being ended.
    """
    facts = facts_of(slug)
    if not asked or not facts.keeps_answers:
        return False
    if not _bytes(wire[asked[-1] :], "in"):
        return True
    return bool(facts.columns) and any(
        answers.at_least(slug, _bytes(wire[:index], "in"), number) for number, index in enumerate(asked, start=1)
    )


def _whole(slug: str, received: str, behind: bytes) -> str:
    """All of what was received: of a value that was cut off to be shown, and of input that was judged by its first
    byte, because the byte alone says little.
    """
    begun = as_bytes(received)
    if cut := re.search(CUT, received):
        count, start = int(cut[1]), behind.find(begun)
        return shown(behind[start : start + count], LINE_CAP) if count < LINE_CAP and start >= 0 else received
    if facts_of(slug).line_end is not None or len(begun) >= SHOWN:
        return received
    line = behind[: answers.LOOKED_AT].lstrip().partition(b"\n")[0][:SHOWN]
    return shown(line) if line.startswith(begun) else received


def _fault_in(slug: str, data: bytes) -> BotFault | None:
    """The fault for which a bot is dropped before it has a match, found again because its session is gone."""
    adapter = protocols()[slug]()
    adapter.receive_data(data[: answers.LOOKED_AT])
    while events := adapter.events_received():
        for event in events:
            if isinstance(event, BotFault):
                return event
            if isinstance(event, Join):
                adapter.send(Joined(event.code))
    return None


def _was_dropped(slug: str, wire: list[Passed]) -> bool:
    """Whether it was closed for what it said: that it exited then is the consequence."""
    return _fault_in(slug, _bytes(_without_tokens(wire), "in")) is not None


def _without_tokens(wire: Iterable[Passed]) -> list[Passed]:
    """Remove the line that shows a token on each connection, which is not part of the protocol."""
    kept, behind = list[Passed](), without_seat_line()
    for way, data in wire:
        if way == "in":
            behind = without_seat_line() if data.startswith(WORD) else behind
            data = behind(data)
        kept.append((way, data))
    return kept


def failure_in(termination: str, stderr: str) -> str:
    """The error that came in place of an answer from a bot that runs on; `stderr` is what it wrote meanwhile."""
    return last_error(stderr) if termination in _SILENT and re.search(TRACEBACK, stderr) else ""


def _text(stderr: bytes) -> str:
    return stderr[-STDERR_BYTES:].decode(errors="backslashreplace")


def _bytes(wire: list[Passed], way: str) -> bytes:
    return b"".join(data for direction, data in wire if direction == way)


def blamed_seat(state: MatchState, ended: LogEvent) -> int | None:
    """The seat of the blamed bot, even one that never came; None if there is none."""
    bots = [seat for seat, setup in enumerate(state.setup.seats) if setup.kind == "bot"]
    if ended.seat is None and ended.data["termination"] == "no_start" and bots:
        return bots[0]
    return ended.seat if ended.seat in bots else None


def words(evidence: Evidence) -> dict[str, str]:
    """The words for sentences and advice, by their names in `errors`."""
    slug = evidence.protocol
    known = protocols()
    low, high = facts_of(slug).columns or (1, 7)
    last = as_bytes(evidence.said).strip().rpartition(b"\n")[2]
    return {
        "received": _readable(_as_sent(evidence) or evidence.unasked or evidence.unfinished),
        "expected": evidence.expected or _expected(evidence),
        "asked": evidence.asked or "the request",
        "unfinished": _readable(evidence.unfinished),
        "reason": _reason(evidence),
        "detail": evidence.detail or TOO_MUCH,
        "refusal": evidence.refusal,
        "protocol": known[slug].title if slug in known else slug,
        "slug": slug,
        "other": " or ".join(grammars.others_that_understand(slug, last)) if last else "",
        "meant": _meant(evidence),
        "low": str(low),
        "high": str(high),
        "clock": _clock(evidence.timing.clock),
        "startup": f"{evidence.timing.startup_ms / 1000 or facts_of(slug).ready_s:g} s",
        "exit": evidence.exit or "no exit code",
        "last_error": last_error(evidence.stderr) or evidence.reason,
        "last_words": f": {last_error(evidence.stderr).rstrip('.')}" if evidence.stderr else "",
    }


def last_error(stderr: str) -> str:
    """The line that says what went wrong: the last that names an error, else the last."""
    named = _ERROR_LINE.findall(stderr)
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return named[-1].strip() if named else lines[-1] if lines else ""


def facts(evidence: Evidence) -> tuple[FactLine, ...]:
    """The known facts on the card besides its sentence."""
    lines = (
        FactLine("received", _readable(_as_sent(evidence) or evidence.unfinished or evidence.unasked)),
        FactLine("counted from 1", _counted_from_1(evidence)),
        FactLine("wrong byte", wrong_byte(evidence)),
        FactLine("expected", evidence.expected),
        FactLine("asked", evidence.asked),
        FactLine("board", "" if evidence.position is None else str(evidence.position)),
        FactLine("time used", _used(evidence)),
        FactLine("process", evidence.exit),
        FactLine("stderr", "\n".join(evidence.stderr.strip().splitlines()[-STDERR_LINES:])),
    )
    return tuple(line for line in lines if line.text)


def _readable(text: str) -> str:
    r"""The ends of lines as people write them and as the wire shows them: `\n`, not `\x0a`."""
    return text.replace("\\x0a", "\\n").replace("\\x0d", "\\r")


def _expected(evidence: Evidence) -> str:
    """What the protocol expects here; in a stall before the match, that the bot says its name."""
    of = grammars.first_words if evidence.termination in ("stall", "no_start") else grammars.expected
    return of(evidence.protocol)


def _reason(evidence: Evidence) -> str:
    """The reason, without what the sentence already says."""
    _, repeats, expected = evidence.reason.partition("; expected ")
    if repeats:
        return f"expected was {expected}"
    reason = evidence.reason.removesuffix(".").removeprefix(GONE)
    reason = CLOSINGS.get(reason, reason)
    return facts_of(evidence.protocol).in_its_words(reason) if evidence.termination == "illegal_move" else reason


def _used(evidence: Evidence) -> str:
    used_ms, clock, startup_ms = evidence.timing
    if used_ms is None:
        return ""
    used = f"{used_ms / 1000:g} s"
    if parse_clock(clock).kind == "none":
        return used
    starting = f" and {startup_ms / 1000:g} s to start up" if startup_ms and not evidence.moves else ""
    return f"{used} of {_clock(clock)}{starting}"


def _as_sent(evidence: Evidence) -> str:
    """What was received, in the bot's own notation even if only the move in the rules' notation is known."""
    received = evidence.received
    if not evidence.move or received != evidence.move:
        return received
    return facts_of(evidence.protocol).on_the_wire(received) or received


def _counted_from_1(evidence: Evidence) -> str:
    """The column that was received, as people and the rules count it, if the bot counts from 0."""
    sent, move = _as_sent(evidence), evidence.move
    counted = facts_of(evidence.protocol).columns is not None and evidence.received == move != sent
    return f"column {move}" if counted else ""


def _clock(text: str) -> str:
    clock = parse_clock(text)
    if clock.kind == "none":
        return "no clock"
    each = f"{clock.base_ms / 1000:g} s"
    return each if clock.kind == "move" else f"{each} in total"


def _meant(evidence: Evidence) -> str:
    """For example `Did you mean JOIN? `, if the bot's word is close to one of the protocol's."""
    lines = as_bytes(evidence.received or evidence.unfinished).decode(errors="replace").upper().split()
    commands = facts_of(evidence.protocol).commands
    found = [near for word in lines for near in get_close_matches(word, commands, 1)]
    return f"Did you mean {found[0]}? " if found else ""
