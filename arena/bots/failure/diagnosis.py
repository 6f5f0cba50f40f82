"""Finds why a bot failed: from the known facts to one card. Pure: the caller has inspected the process.

`CAUSES` and those of the protocol are tested in order: the first that holds is the cause.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from arena.bots.failure.cards import Card, make_card
from arena.bots.failure.evidence import ASKS, LEFT, TRACEBACK, UNREAD, facts, words
from arena.bots.failure.process_errors import (
    NO_FILE,
    NO_MEMORY,
    NO_MODULE,
    NO_PROGRAM,
    NOBODY_THERE,
    NOT_RUN,
    PYTHON_2,
    WINDOWS_LINES,
)
from arena.protocols import facts_of, grammars, own_part
from arena.protocols.framing import LineEnd, is_overlong
from arena.protocols.hints import Evidence, Hint, always, as_bytes


def diagnose(evidence: Evidence) -> Card | None:
    """The card of the failure, None if the bot is not to blame."""
    for cause in causes_of(evidence.protocol):
        if evidence.termination in cause.when and cause.holds(evidence):
            return card(cause.code, evidence)
    return None


@cache
def causes_of(slug: str) -> tuple[Hint, ...]:
    """The causes to test for this protocol, in order: its own are inserted between the general ones."""
    own = getattr(own_part(slug, "hints"), "HINTS", ())
    return tuple(each for cause in CAUSES for each in (*(hint for hint in own if hint.before == cause.code), cause))


def card(code: str, evidence: Evidence) -> Card:
    """The card of this code, with all known facts."""
    return make_card(code, words(evidence), facts(evidence))


# -- conditions --------------------------------------------------------------------------------------------------------


def _stderr_says(pattern: str) -> Callable[[Evidence], bool]:
    said = re.compile(pattern)
    return lambda evidence: bool(said.search(f"{evidence.stderr}\n{evidence.reason}"))


def _reason_says(words: str) -> Callable[[Evidence], bool]:
    return lambda evidence: words in evidence.reason


def _sent_too_much(evidence: Evidence) -> bool:
    """More than the arena takes, or than a protocol keeps for later."""
    return "sent more than" in evidence.reason or evidence.expected.startswith("at most ")


def _exit_is(*exits: str) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.exit in exits


def _ends_in_cr(evidence: Evidence) -> bool:
    received = as_bytes(evidence.received)
    return received.endswith(b"\r") and grammars.understands(evidence.protocol, received.rstrip(b"\r"))


def _is_not_text(evidence: Evidence) -> bool:
    """Control characters, digits of another alphabet, or bytes above ASCII that are not letters of one."""
    received = as_bytes(evidence.received or evidence.unfinished).strip(b"\r\n\t")
    if not received:
        return False
    try:
        text = re.sub(r"[\r\n\t]", "", received.decode())
    except UnicodeDecodeError:
        return True
    return not text.isprintable() or (text.isdecimal() and not text.isascii())


def _sent(evidence: Evidence) -> bytes:
    return as_bytes(evidence.received or evidence.unfinished)


def _has_byte_order_mark(evidence: Evidence) -> bool:
    return _sent(evidence).startswith(codecs.BOM_UTF8)


def _is_utf_16(evidence: Evidence) -> bool:
    """A byte order mark, or ASCII with a NUL after or before each letter; a single NUL may end a C string."""
    sent = _sent(evidence)
    if sent.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return len(sent) > 2 and b"\0" in sent
    if evidence.received and as_bytes(evidence.unfinished) == b"\0":  # one letter and its line end, cut in two
        sent += b"\n\0"
    halves = sent[::2], sent[1::2]
    return any(len(nul) > 1 and not any(nul) and text.isascii() and all(text) for nul, text in (halves, halves[::-1]))


def _has_nul(evidence: Evidence) -> bool:
    """A NUL in otherwise normal text, or after a complete value."""
    sent = _sent(evidence)
    rest = re.sub(rb"[\0\r\n\t]", b"", sent).strip()
    is_text = rest.isascii() and rest.decode().isprintable() if rest else facts_of(evidence.protocol).json
    return b"\0" in sent and is_text


def _has_more_around(evidence: Evidence) -> bool:
    """Whether it is an answer without its quotes, blanks, plus sign, leading zeros and a fraction of zero."""
    if facts_of(evidence.protocol).json:
        return False
    received = as_bytes(evidence.received)
    bare = re.sub(rb"(?<=[0-9])\.0+(?![0-9])", b"", received.strip(b"\"' \t\r\n").lstrip(b"+"))
    fewer = {bare, re.sub(rb"^0+(?=[0-9])", b"", bare)} - {received, b""}
    return any(grammars.understands(evidence.protocol, text) for text in fewer)


def _is_printed_value(evidence: Evidence) -> bool:
    """A value as its language shows it, also behind a good first word: one that stands for none, or in brackets."""
    spoken, words = facts_of(evidence.protocol), as_bytes(evidence.received).split()
    if words[1:] and (words[0].isdigit() or words[0].upper().decode(errors="replace") in spoken.commands):
        del words[0]
    value = b" ".join(words)
    return value.lower() in _NO_VALUES or bool(not spoken.json and _IN_BRACKETS.fullmatch(value))


def _is_web_client(evidence: Evidence) -> bool:
    return grammars.is_web_client(as_bytes(evidence.said))


def _looks_like_another(evidence: Evidence) -> bool:
    """A line of another protocol, from a bot that has not made a move in this one."""
    if evidence.moves:
        return False
    last = as_bytes(evidence.said).strip().rpartition(b"\n")[2]
    if not last or grammars.understands(evidence.protocol, last):
        return False
    return bool(grammars.others_that_understand(evidence.protocol, last))


def _is_words(evidence: Evidence) -> bool:
    """Whether it has letters, or looks like the row of a board, but is neither a message of the protocol nor an attempt
    at one.
    """
    received = as_bytes(evidence.received)
    said = received.decode(errors="replace").strip()
    spoken = facts_of(evidence.protocol)
    if spoken.json and said[:1] in '[{"':
        return False
    if said.upper().startswith(spoken.commands):
        return False
    is_print = bool(_ROW.fullmatch(said)) or any(map(str.isalpha, said))
    return is_print and not grammars.understands(evidence.protocol, received)


def _came_ahead(evidence: Evidence) -> bool:
    """Whether it is an answer, perhaps to another kind of request, and had been kept for this one."""
    is_answer = evidence.termination in _ILLEGAL or grammars.understands(evidence.protocol, _sent(evidence))
    return evidence.ahead and is_answer


def _is_first_answer(evidence: Evidence) -> bool:
    return not evidence.moves


def _column(evidence: Evidence) -> int | None:
    """The intended column, counted from 1 as in the rules."""
    if facts_of(evidence.protocol).columns and re.fullmatch(r"-?[0-9]+", evidence.move):
        return int(evidence.move)
    return None


def _columns(evidence: Evidence) -> tuple[int, int]:
    """The bot's number of the leftmost column, and the number of columns; (0, 0) if columns have no numbers."""
    low, high = facts_of(evidence.protocol).columns or (0, -1)
    return low, high - low + 1


def _counts_from_0(evidence: Evidence) -> bool:
    """One below the leftmost column, 1, from a bot that has never used the rightmost."""
    leftmost, count = _columns(evidence)
    return leftmost == 1 and _column(evidence) == 0 and str(count) not in evidence.moves


def _counts_from_1(evidence: Evidence) -> bool:
    """One above the rightmost column, counting from 0, from a bot that has never used the leftmost."""
    leftmost, count = _columns(evidence)
    return leftmost == 0 and _column(evidence) == count + 1 and "1" not in evidence.moves


def _is_off_the_board(evidence: Evidence) -> bool:
    column = _column(evidence)
    return column is not None and not 1 <= column <= _columns(evidence)[1]


def _is_no_column(evidence: Evidence) -> bool:
    """A whole number, which this protocol can only read if it is that of a column."""
    return bool(facts_of(evidence.protocol).columns and re.fullmatch(r"-?[0-9]+", evidence.received.strip()))


def _won_without_the_build(evidence: Evidence) -> bool:
    step, plus, _ = evidence.move.partition("+")
    return bool(plus) and evidence.allows(step)


def _lacks_its_build(evidence: Evidence) -> bool:
    step = evidence.move
    legal = evidence.position.legal_moves() if evidence.position else ()
    return "-" in step and "+" not in step and any(move.startswith(f"{step}+") for move in legal)


def _is_in_lines(evidence: Evidence) -> bool:
    return facts_of(evidence.protocol).line_end is not None


def _lacks_its_end(evidence: Evidence) -> bool:
    end = facts_of(evidence.protocol).line_end
    ends = ("\\x0a", "\\x0d") if end == LineEnd.ANY else ("\\x0a",)
    return end is not None and bool(evidence.unfinished) and not evidence.unfinished.endswith(ends)


def _has_a_written_line_end(evidence: Evidence) -> bool:
    """Whether it sent a backslash and an n; a real line end would be shown as its byte."""
    sent = evidence.received + evidence.unfinished
    return "\\n" in sent if _is_in_lines(evidence) else sent.startswith("\\n")


def _was_refused(evidence: Evidence) -> bool:
    return bool(evidence.refusal)


def _is_another_s_line(evidence: Evidence) -> bool:
    """A line of another protocol; not where lines do not matter, because half an answer may look like one, and not of a
    bot that has already said in the words of this one who it is."""
    if evidence.termination == "timeout" and facts_of(evidence.protocol).joins:
        return False
    is_line = _is_in_lines(evidence) or evidence.said.endswith("\\x0a")
    return is_line and all(map(_looks_like_another, (replace(evidence, received=""), evidence)))


def _came_too_early(evidence: Evidence) -> bool:
    return bool(evidence.unasked) and evidence.reads_input is not False


def _waits_for_input(evidence: Evidence) -> bool:
    return evidence.reads_input is True


def _waits_without_a_word(evidence: Evidence) -> bool:
    """It has been asked for something with its own deadline, waits for more input and has sent nothing."""
    return _waits_for_input(evidence) and bool(evidence.asked) and not evidence.heard


def _is_busy(evidence: Evidence) -> bool:
    return evidence.reads_input is False


def _is_busy_starting(evidence: Evidence) -> bool:
    return _is_busy(evidence) and _is_first_answer(evidence) and evidence.timing.startup_ms > 0


def _is_silent(evidence: Evidence) -> bool:
    return not evidence.heard


_NO_VALUES = frozenset({b"none", b"null", b"nil", b"undefined", b"nan", b"inf", b"-inf", b"true", b"false"})
_IN_BRACKETS = re.compile(rb"b'.*'|b\".*\"|\[.*\]|\(.*\)|\{.*\}|<.*>")
# A row of a board: its signs, or more words or numbers than any answer without JSON has.
_ROW = re.compile(r"[-.@*#=|+_]{2,}|\S+(?:\s+\S+){2,}")

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
_LEFT = frozenset({LEFT})  # the termination of a connection without a match

CAUSES = (
    # The process.
    Hint("out_of_memory", _DIED, _stderr_says(rf"(?m){NO_MEMORY}|^memory$")),
    Hint("out_of_cpu_time", _DIED, _stderr_says(r"(?m)^cpu$|SIGXCPU")),
    Hint("stderr_flood", _LIMITED, _reason_says("standard error")),
    Hint("resource_limit", _LIMITED, always),
    Hint("script_byte_order_mark", _DIED, _reason_says("ef bb bf, a byte order mark")),
    Hint("script_line_ends", _DIED, _stderr_says(WINDOWS_LINES)),
    Hint("not_executable", _DIED, _stderr_says(rf"(?m){NOT_RUN}")),
    Hint("interpreter_missing", _DIED, _stderr_says(rf"(?m){NO_PROGRAM}")),
    Hint("interpreter_missing", _DIED, _exit_is("exit code 127")),
    Hint("not_executable", _DIED, _exit_is("exit code 126")),
    Hint("python_2", _DIED, _stderr_says(PYTHON_2)),
    Hint("file_missing", _DIED, _stderr_says(NO_FILE)),
    Hint("module_missing", _DIED, _stderr_says(NO_MODULE)),
    Hint("connects_itself", _DIED, _stderr_says(NOBODY_THERE)),
    Hint("killed_by_signal", _DIED, lambda evidence: evidence.exit.startswith("killed by")),
    Hint("traceback", _DIED, _stderr_says(TRACEBACK)),  # also of a thread, whose error leaves exit code 0
    Hint("exited", _DIED, _exit_is("exit code 0")),
    Hint("exited_with_error", _DIED, always),
    # The connection.
    Hint("sent_away", _GONE, _was_refused),
    Hint("does_not_read", _GONE, _reason_says(UNREAD)),
    Hint("closed_output", _GONE, _reason_says("closed its output")),
    Hint("closed_input", _GONE, _reason_says("closed its input")),
    Hint("connection_lost", _GONE, always),
    Hint("web_client", _LEFT, _is_web_client),
    Hint("other_protocol", _LEFT, _is_another_s_line),
    Hint("left_early", _LEFT, always),
    Hint("asks_first", frozenset({"no_start"}), _reason_says(ASKS)),
    Hint("never_connected", frozenset({"no_start"}), _is_silent),
    Hint("not_ready", frozenset({"no_start"}), always),
    # Bytes and lines.
    Hint("repeats_input", _BAD_OR_UNASKED, lambda evidence: evidence.repeats),
    Hint("flood", _BAD, _sent_too_much),
    Hint("line_too_long", _BAD, lambda evidence: is_overlong(evidence.received)),
    Hint("carriage_return", _BAD, _ends_in_cr),
    Hint("blank_line", _BAD, lambda evidence: not as_bytes(evidence.received).strip()),
    Hint("escaped_line_end", _BAD, _has_a_written_line_end),
    Hint("extra_characters", _BAD, _has_more_around),
    Hint("web_client", _BAD_OR_UNASKED, _is_web_client),
    Hint("other_protocol", _BAD_OR_UNASKED, _looks_like_another),
    Hint("printed_value", _BAD, _is_printed_value),
    Hint("byte_order_mark", _BAD_OR_UNASKED, _has_byte_order_mark),
    Hint("utf_16", _BAD_OR_UNASKED, _is_utf_16),
    Hint("nul_byte", _BAD_OR_UNASKED, _has_nul),
    Hint("not_text", _BAD_OR_UNASKED, _is_not_text),
    Hint("debug_output", _BAD_OR_UNASKED, _is_words),
    Hint("before_asked", _BAD | _ILLEGAL, lambda evidence: _came_ahead(evidence) and not evidence.moves),
    Hint("answered_twice", _BAD | _ILLEGAL, _came_ahead),
    Hint("no_such_column", _BAD, _is_no_column),
    Hint("bad_output", _BAD, always),
    # Requests and answers.
    Hint("before_asked", _UNASKED, _is_first_answer),
    Hint("answered_twice", _UNASKED, always),
    Hint("resigned", frozenset({"resign"}), always),
    # Moves.
    Hint("counts_from_0", _ILLEGAL, _counts_from_0),
    Hint("counts_from_1", _ILLEGAL, _counts_from_1),
    Hint("no_such_column", _ILLEGAL, _is_off_the_board),
    Hint("full_column", _ILLEGAL, lambda evidence: _column(evidence) is not None),
    Hint("build_after_win", _ILLEGAL, _won_without_the_build),
    Hint("no_build", _ILLEGAL, _lacks_its_build),
    Hint("illegal_move", _ILLEGAL, always),
    # Time.
    Hint("answered_late", _LATE, lambda evidence: bool(evidence.received) and not evidence.refusal),
    Hint("web_client", _SILENT, _is_web_client),
    Hint("other_protocol", _SILENT, _is_another_s_line),
    Hint("byte_order_mark", _SILENT, _has_byte_order_mark),
    Hint("utf_16", _SILENT, _is_utf_16),
    Hint("nul_byte", _SILENT, _has_nul),
    Hint("not_text", _SILENT, _is_not_text),
    Hint("escaped_line_end", _SILENT, _has_a_written_line_end),
    Hint("no_line_end", _SILENT, _lacks_its_end),
    Hint("repeats_input", _SILENT, lambda evidence: evidence.repeats),
    Hint("refused", _SILENT, _was_refused),
    Hint("incomplete_answer", _SILENT, lambda evidence: bool(evidence.unfinished)),
    Hint("failed_silently", _SILENT, lambda evidence: bool(evidence.detail)),
    Hint("not_flushed", _STALLED, _waits_without_a_word),
    Hint("connected_but_silent", _STALLED, _is_silent),
    Hint("not_ready", _STALLED, always),
    Hint("before_asked", _LATE, _came_too_early),
    Hint("not_flushed", _LATE, _waits_for_input),
    Hint("start_too_slow", _LATE, _is_busy_starting),
    Hint("too_slow", _LATE, _is_busy),
    Hint("no_answer", _LATE, always),
    # No failure.
    Hint("ended_with_input", frozenset({"normal"}), lambda evidence: bool(evidence.exit)),
)
