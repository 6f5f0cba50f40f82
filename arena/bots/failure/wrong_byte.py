"""Which byte makes what a bot sent no answer."""

from __future__ import annotations

import re

from arena.protocols import facts_of, grammars
from arena.protocols.framing import CUT
from arena.protocols.hints import Evidence, as_bytes

_NAMES = {0: "NUL", 9: "a tab", 10: "a line end", 13: "a carriage return", 27: "an escape sequence", 32: "a blank"}


def wrong_byte(evidence: Evidence) -> str:
    """The place of the first byte that cannot belong to an answer, counted from 1, and its value; "" if that is
    unknown, or no single byte is to blame.
    """
    if not (evidence.refusal or evidence.termination == "bad_output") or evidence.expected.startswith("at most "):
        return ""
    facts, sent, cut = facts_of(evidence.protocol), as_bytes(evidence.received), re.search(CUT, evidence.received)
    at = facts.good_part(sent, evidence.refusal or evidence.expected)
    if at < len(sent):
        return f"{at + 1} of {cut[1] if cut else len(sent)}, 0x{sent[at]:02x}: {_called(sent[at])}"
    lacks = not cut and facts.line_end is not None and grammars.understands(evidence.protocol, sent + b"3")
    return f"{at + 1}, which is missing: the line ends there" if lacks else ""


def _called(byte: int) -> str:
    if byte in _NAMES:
        return _NAMES[byte]
    return "not ASCII" if byte > 127 else chr(byte) if chr(byte).isprintable() else "a control character"
