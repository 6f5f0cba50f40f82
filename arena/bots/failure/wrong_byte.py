"""Which byte makes what a bot sent no answer."""

from __future__ import annotations

import re

from arena.protocols import facts_of, grammars
from arena.protocols.framing import CUT
from arena.protocols.hints import Evidence, as_bytes

_NAMES = {0: "NUL", 9: "a tab", 10: "a line end", 13: "a carriage return", 27: "an escape sequence", 32: "a blank"}


def wrong_byte(evidence: Evidence) -> str:
    """The place (from 1) and value of the first byte that no answer can have; "" if no single one is to blame."""
    ignored, facts = _ignored(evidence), facts_of(evidence.protocol)
    # A bot sent away has sent nothing wrong, and what one is asked for again was read, but illegal.
    is_refused = evidence.refusal and evidence.termination != "disconnect" and facts.on_illegal != "ask_again"
    is_bad = is_refused or ignored or evidence.termination == "bad_output"
    if not is_bad or evidence.expected.startswith("at most "):
        return ""
    sent = ignored or as_bytes(evidence.received)
    cut = re.search(CUT, evidence.received)
    at = facts.good_part(sent, evidence.refusal or evidence.expected)
    if at < len(sent):
        return f"{at + 1} of {cut[1] if cut else len(sent)}, 0x{sent[at]:02x}: {_called(sent[at])}"
    ends = not cut and facts.line_end is not None
    lacks = ends and any(grammars.understands(evidence.protocol, sent + more) for more in (b"3", b" 3"))
    return f"{at + 1}, which is missing: the line ends there" if lacks else ""


def _ignored(evidence: Evidence) -> bytes:
    """The line that was answered with an error and cost nothing but time, where the protocol has such answers."""
    if evidence.received or evidence.termination not in ("stall", "timeout"):
        return b""
    line, end, _ = as_bytes(evidence.unfinished).partition(b"\n")
    is_ignored = end and facts_of(evidence.protocol).confused and not grammars.understands(evidence.protocol, line)
    return line if is_ignored else b""


def _called(byte: int) -> str:
    if byte in _NAMES:
        return _NAMES[byte]
    return "not ASCII" if byte > 127 else chr(byte) if chr(byte).isprintable() else "a control character"
