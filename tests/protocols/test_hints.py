from __future__ import annotations

import games
from arena.protocols.hints import Evidence, always, as_bytes, has_never_answered


def test_what_was_shown_becomes_bytes_again() -> None:
    assert as_bytes("PUT 3\\x0d") == b"PUT 3\r"
    assert as_bytes("44… (512 bytes)") == b"44"


def test_evidence_knows_what_the_rules_allow() -> None:
    evidence = Evidence("fiar", "illegal_move", position=games.variant("connect-four-7x6").start())
    assert evidence.allows("4") and not evidence.allows("8") and not evidence.allows("x")
    assert not Evidence("fiar", "illegal_move").allows("4")
    assert always(evidence)


def test_who_has_never_answered_on_a_socket_may_wait_for_a_line_end() -> None:
    assert has_never_answered(Evidence("nyu-nim", "timeout"))
    assert not has_never_answered(Evidence("nyu-nim", "timeout", moves=("3",)))
    assert not has_never_answered(Evidence("nyu-nim", "timeout", unfinished="3"))
    assert not has_never_answered(Evidence("nyu-nim", "timeout", reads_input=True))
