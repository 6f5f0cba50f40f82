"""Why a bot failed: from what is known of the case to one card. Pure: who calls it has looked at the process.

`CAUSES` is read from the top: the first whose question is answered with yes is the cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from arena.bots.failure.cards import Card, make_card
from arena.bots.failure.evidence import CUT, Evidence, as_bytes, facts, words
from arena.protocols import facts_of, grammars
from arena.protocols.framing import LINE_CAP


class Cause(NamedTuple):
    """`holds(evidence)` for the endings of `when`, which are terminations."""

    code: str
    when: frozenset[str]
    holds: Callable[[Evidence], bool]


def diagnose(evidence: Evidence) -> Card | None:
    """The card of the failure, None where the bot is not to blame."""
    for cause in CAUSES:
        if evidence.termination in cause.when and cause.holds(evidence):
            return card(cause.code, evidence)
    return None


def card(code: str, evidence: Evidence) -> Card:
    """The card of this code, with everything that is known."""
    return make_card(code, words(evidence), facts(evidence))


# -- the questions -----------------------------------------------------------------------------------------------------


def _always(evidence: Evidence) -> bool:
    return True


def _stderr_says(pattern: str) -> Callable[[Evidence], bool]:
    said = re.compile(pattern)
    return lambda evidence: bool(said.search(f"{evidence.stderr}\n{evidence.reason}"))


def _reason_says(words: str) -> Callable[[Evidence], bool]:
    return lambda evidence: words in evidence.reason


def _exit_is(*exits: str) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.exit in exits


def _is_blank(evidence: Evidence) -> bool:
    return not as_bytes(evidence.received).strip()


def _ends_in_cr(evidence: Evidence) -> bool:
    received = as_bytes(evidence.received)
    return received.endswith(b"\r") and grammars.understands(evidence.protocol, received.rstrip(b"\r"))


def _is_overlong(evidence: Evidence) -> bool:
    cut = CUT.search(evidence.received)
    return cut is not None and int(cut[1]) >= LINE_CAP


def _is_not_text(evidence: Evidence) -> bool:
    """Bytes below blank, or above ASCII where they are no letters of another alphabet."""
    received = as_bytes(evidence.received or evidence.unfinished).strip(b"\r\n\t")
    if not received:
        return False
    try:
        return not re.sub(r"[\r\n\t]", "", received.decode()).isprintable()
    except UnicodeDecodeError:
        return True


def _has_more_around(evidence: Evidence) -> bool:
    """Whether it is an answer once blanks, a plus and leading zeros are taken away."""
    received = as_bytes(evidence.received)
    bare = received.strip().lstrip(b"+")
    fewer = {bare, bare.lstrip(b"0")} - {received, b""}
    return any(grammars.understands(evidence.protocol, text) for text in fewer)


def _looks_like_another(evidence: Evidence) -> bool:
    last = as_bytes(evidence.received or evidence.unfinished).strip().rpartition(b"\n")[2]
    if not last or grammars.understands(evidence.protocol, last):
        return False
    return bool(grammars.others_that_understand(evidence.protocol, last))


def _is_words(evidence: Evidence) -> bool:
    """Whether it has letters, and is not a message of the protocol, or meant for one."""
    received = as_bytes(evidence.received)
    said = received.decode(errors="replace").strip()
    spoken = facts_of(evidence.protocol)
    if spoken.json and said[:1] in '[{"':
        return False
    if said.upper().startswith(spoken.commands):
        return False
    return any(letter.isalpha() for letter in said) and not grammars.understands(evidence.protocol, received)


def _came_ahead(evidence: Evidence) -> bool:
    return evidence.ahead


def _came_ahead_of_the_first(evidence: Evidence) -> bool:
    return evidence.ahead and not evidence.moves


def _is_first_answer(evidence: Evidence) -> bool:
    return not evidence.moves


def _column(evidence: Evidence) -> int | None:
    """The column that was meant, counted from 1 as the rules do."""
    if facts_of(evidence.protocol).columns and re.fullmatch(r"-?[0-9]{1,10}", evidence.move):
        return int(evidence.move)
    return None


def _columns(evidence: Evidence) -> tuple[int, int]:
    """The leftmost, as the bot numbers it, and how many there are; none where columns have no numbers."""
    low, high = facts_of(evidence.protocol).columns or (0, -1)
    return low, high - low + 1


def _counts_from_0(evidence: Evidence) -> bool:
    """One below the leftmost where it is 1, from a bot that has never used the rightmost."""
    leftmost, count = _columns(evidence)
    return leftmost == 1 and _column(evidence) == 0 and str(count) not in evidence.moves


def _counts_from_1(evidence: Evidence) -> bool:
    """One above the rightmost where the leftmost is 0, from a bot that has never used the leftmost."""
    leftmost, count = _columns(evidence)
    return leftmost == 0 and _column(evidence) == count + 1 and "1" not in evidence.moves


def _is_off_the_board(evidence: Evidence) -> bool:
    column = _column(evidence)
    return column is not None and not 1 <= column <= _columns(evidence)[1]


def _is_full(evidence: Evidence) -> bool:
    return _column(evidence) is not None


def _won_without_the_build(evidence: Evidence) -> bool:
    step, plus, _ = evidence.move.partition("+")
    return bool(plus) and _is_legal(evidence, step)


def _lacks_its_build(evidence: Evidence) -> bool:
    step = evidence.move
    legal = evidence.position.legal_moves() if evidence.position else ()
    return "-" in step and "+" not in step and any(move.startswith(f"{step}+") for move in legal)


def _had_no_reset(evidence: Evidence) -> bool:
    return evidence.protocol == "nyu-nim" and evidence.move.endswith("r") and _is_legal(evidence, evidence.move[:-1])


def _is_nim(evidence: Evidence) -> bool:
    return evidence.protocol == "nyu-nim"


def _is_legal(evidence: Evidence, move: str) -> bool:
    try:
        return evidence.position is not None and evidence.position.play(move) is not None
    except ValueError:
        return False


def _is_in_lines(evidence: Evidence) -> bool:
    return facts_of(evidence.protocol).line_end is not None


def _lacks_its_end(evidence: Evidence) -> bool:
    return _is_in_lines(evidence) and bool(evidence.unfinished) and not evidence.unfinished.endswith("\\x0a")


def _was_answered_with_an_error(evidence: Evidence) -> bool:
    return evidence.protocol == "droidcon" and evidence.unfinished.endswith("\\x0a")


def _was_refused(evidence: Evidence) -> bool:
    return bool(evidence.refusal)


def _is_no_json(evidence: Evidence) -> bool:
    """A text in single quotes, or in none, or Python's or JavaScript's own notation of a value."""
    text = (evidence.received or evidence.unfinished).strip()
    if evidence.protocol != "santorini-json" or not text:
        return False
    bare = text.startswith("'") or text.upper() == "OK"
    return bare or (evidence.expected.startswith("a JSON value") and text[0] in "[{")


def _is_another_s_line(evidence: Evidence) -> bool:
    """Half an answer where lines do not matter may look like a whole one of another protocol."""
    is_line = _is_in_lines(evidence) or evidence.unfinished.endswith("\\x0a")
    return is_line and _looks_like_another(replace(evidence, received=""))


def _has_not_joined(evidence: Evidence) -> bool:
    return evidence.protocol == "droidcon" and bool(evidence.unfinished)


def _is_half(evidence: Evidence) -> bool:
    return bool(evidence.unfinished)


def _came_too_early(evidence: Evidence) -> bool:
    return bool(evidence.unasked) and evidence.reads_input is not False


def _waits_for_input(evidence: Evidence) -> bool:
    return evidence.reads_input is True


def _is_busy(evidence: Evidence) -> bool:
    return evidence.reads_input is False


def _is_busy_starting(evidence: Evidence) -> bool:
    return _is_busy(evidence) and _is_first_answer(evidence) and evidence.startup_ms > 0


def _is_silent(evidence: Evidence) -> bool:
    return not evidence.heard


def _owes_an_acknowledgement(evidence: Evidence) -> bool:
    return evidence.protocol == "santorini-json" and bool(evidence.asked or evidence.expected)


def _answers_before_it_registered(evidence: Evidence) -> bool:
    if evidence.protocol != "santorini-json" or not evidence.expected.startswith('["join"'):
        return False
    return grammars.understands(evidence.protocol, as_bytes(evidence.received))


def _registers_late(evidence: Evidence) -> bool:
    return _answers_with_something_else(evidence) and evidence.received.startswith('["join"')


def _answers_with_something_else(evidence: Evidence) -> bool:
    return evidence.protocol == "santorini-json" and evidence.expected == '"OK"'


_NO_MEMORY = r"MemoryError|bad_alloc|[Cc]annot allocate memory|heap out of memory|OutOfMemory|out of memory"
_NO_PROGRAM = r"no such command|setpriv: failed to execute .*No such file|^env: .*No such file|: not found$"
# What has no first line to name its interpreter is run by a shell, which understands neither Python nor machine code.
_NOT_RUN = (
    r"not executable|(?:setpriv|env|sh|bash): .*(?:Permission denied|Exec format error)"
    r"|: \d+: (?:import|from|.*Syntax error|.*[^\x20-\x7e\n])"
)
_NO_FILE = r"can't open file|can't open '|Unable to access jarfile|Cannot find module '/|Could not open input file"
_NO_MODULE = (
    r"ModuleNotFoundError|ImportError|Cannot find (?:module|package)|cannot load such file|loading shared librar"
)
_TRACEBACK = r"Traceback \(most recent call last\)|^    at .*:\d+|panicked at|Exception in thread|^goroutine \d+"

_BAD = frozenset({"bad_output"})
_BAD_OR_UNASKED = frozenset({"bad_output", "out_of_turn"})
_UNASKED = frozenset({"out_of_turn"})
_ILLEGAL = frozenset({"illegal_move"})
_LATE = frozenset({"timeout"})
_SILENT = frozenset({"timeout", "stall"})
_STALLED = frozenset({"stall"})
_DIED = frozenset({"crash", "resource_limit"})
_LIMITED = frozenset({"resource_limit"})
_GONE = frozenset({"disconnect"})
_DEATHS = _DIED | _GONE

CAUSES = (
    # The process.
    Cause("out_of_memory", _DIED, _stderr_says(rf"(?m){_NO_MEMORY}|^memory$")),
    Cause("out_of_cpu_time", _DIED, _stderr_says(r"(?m)^cpu$|SIGXCPU")),
    Cause("stderr_flood", _LIMITED, _reason_says("standard error")),
    Cause("resource_limit", _LIMITED, _always),
    Cause("not_executable", _DIED, _stderr_says(rf"(?m){_NOT_RUN}")),
    Cause("interpreter_missing", _DIED, _stderr_says(rf"(?m){_NO_PROGRAM}")),
    Cause("interpreter_missing", _DIED, _exit_is("exit code 127")),
    Cause("not_executable", _DIED, _exit_is("exit code 126")),
    Cause("module_missing", _DIED, _stderr_says(_NO_MODULE)),
    Cause("file_missing", _DIED, _stderr_says(_NO_FILE)),
    Cause("killed_by_signal", _DIED, lambda evidence: evidence.exit.startswith("killed by")),
    Cause("exited", _DIED, _exit_is("exit code 0")),
    Cause("traceback", _DIED, _stderr_says(rf"(?m){_TRACEBACK}")),
    Cause("exited_with_error", _DIED, _always),
    # The connection.
    Cause("does_not_read", _GONE, _reason_says("does not read")),
    Cause("closed_output", _GONE, _reason_says("closed its output")),
    Cause("connection_lost", _GONE, _always),
    Cause("never_connected", frozenset({"no_start"}), _is_silent),
    Cause("not_ready", frozenset({"no_start"}), _always),
    # Bytes and lines.
    Cause("before_asked", _BAD, _answers_before_it_registered),
    Cause("flood", _BAD, _reason_says("sent more than")),
    Cause("line_too_long", _BAD, _is_overlong),
    Cause("carriage_return", _BAD, _ends_in_cr),
    Cause("blank_line", _BAD, _is_blank),
    Cause("extra_characters", _BAD, _has_more_around),
    Cause("other_protocol", _BAD_OR_UNASKED, _looks_like_another),
    Cause("not_text", _BAD_OR_UNASKED, _is_not_text),
    Cause("registered_late", _BAD, _registers_late),
    Cause("not_json", _BAD, _is_no_json),
    Cause("wrong_acknowledgement", _BAD, _answers_with_something_else),
    Cause("debug_output", _BAD_OR_UNASKED, _is_words),
    Cause("bad_output", _BAD, _always),
    # Question and answer.
    Cause("before_asked", _UNASKED, _is_first_answer),
    Cause("answered_twice", _UNASKED, _always),
    Cause("resigned", frozenset({"resign"}), _always),
    # Moves.
    Cause("before_asked", _ILLEGAL, _came_ahead_of_the_first),
    Cause("answered_twice", _ILLEGAL, _came_ahead),
    Cause("counts_from_0", _ILLEGAL, _counts_from_0),
    Cause("counts_from_1", _ILLEGAL, _counts_from_1),
    Cause("no_such_column", _ILLEGAL, _is_off_the_board),
    Cause("full_column", _ILLEGAL, _is_full),
    Cause("build_after_win", _ILLEGAL, _won_without_the_build),
    Cause("no_build", _ILLEGAL, _lacks_its_build),
    Cause("no_reset_left", _ILLEGAL, _had_no_reset),
    Cause("too_many_stones", _ILLEGAL, _is_nim),
    Cause("illegal_move", _ILLEGAL, _always),
    # Time.
    Cause("other_protocol", _SILENT, _is_another_s_line),
    Cause("not_text", _SILENT, _is_not_text),
    Cause("no_line_end", _SILENT, _lacks_its_end),
    Cause("not_joined", _STALLED, _has_not_joined),
    Cause("unknown_command", _LATE, _was_answered_with_an_error),
    Cause("refused", _SILENT, _was_refused),
    Cause("not_json", _SILENT, _is_no_json),
    Cause("incomplete_answer", _SILENT, _is_half),
    Cause("no_acknowledgement", _STALLED, _owes_an_acknowledgement),
    Cause("connected_but_silent", _STALLED, _is_silent),
    Cause("not_ready", _STALLED, _always),
    Cause("before_asked", _LATE, _came_too_early),
    Cause("not_flushed", _LATE, _waits_for_input),
    Cause("start_too_slow", _LATE, _is_busy_starting),
    Cause("too_slow", _LATE, _is_busy),
    Cause("no_answer", _LATE, _always),
    # No failure.
    Cause("ended_with_input", frozenset({"normal"}), lambda evidence: bool(evidence.exit)),
)
