"""Splits bytes into lines, for every line protocol (protocols.md, Framing).

Lines stay bytes: `str.splitlines` also splits at U+2028, and `int()` also reads `٤` and `4_0`. Any segmentation of the
same bytes gives the same lines, in time linear in the number of bytes. An overlong line is cut off while it is being
read, so that a peer can never make us hold more than the cap.
"""

from __future__ import annotations

LINE_CAP = 512
# How many bytes of a bad line an error message repeats, and the mark for the rest.
SHOWN = 80
CUT = r"… \((\d+) bytes\)(?:\\x0a)?$"


class LineEnd:
    """The line ends of a protocol. `ANY` also skips the LF of a CRLF if it comes in the next segment."""

    LF = "\\n and nothing else"
    CRLF = "\\n, a \\r before it is not part of the line"
    ANY = "\\n, \\r or \\r\\n"


class LineBuffer:
    """Collects the bytes of one connection and splits them into lines.

    `overlong` holds the first `cap` bytes of a line that exceeded it; from then on all input is dropped.
    """

    __slots__ = ("_after_cr", "_partial", "cap", "end", "overlong")

    def __init__(self, end: str, cap: int = LINE_CAP) -> None:
        self.end, self.cap = end, cap
        self.overlong: bytes | None = None
        self._partial = bytearray()
        self._after_cr = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their line ends."""
        if self.overlong is not None or not data:
            return []
        if self.end == LineEnd.ANY and (self._after_cr or b"\r" in data):
            data = self._one_end(data)
        if not self._partial and 0 <= data.find(b"\n") == len(data) - 1 <= self.cap:
            return [self._without_end(data[:-1])]  # the usual case: exactly one line
        *pieces, rest = data.split(b"\n")
        lines: list[bytes] = []
        for piece in pieces:
            if not self._grow(piece):
                return lines
            lines.append(self._take())
        self._grow(rest)
        return lines

    def finish(self) -> bytes:
        """The bytes of a last line without a line end, at the end of the input."""
        return self._take()

    @property
    def begun(self) -> int:
        """The number of bytes of the unfinished line."""
        return len(self._partial)

    def clear(self) -> None:
        """Discard the bytes of the unfinished line."""
        self._partial.clear()

    def _one_end(self, data: bytes) -> bytes:
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if data:
            self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _grow(self, piece: bytes) -> bool:
        if len(self._partial) + len(piece) <= self.cap:
            self._partial += piece
            return True
        self.overlong = bytes(self._partial + piece[: self.cap])[: self.cap]
        self._partial.clear()
        return False

    def _take(self) -> bytes:
        line = bytes(self._partial)
        self._partial.clear()
        return self._without_end(line)

    def _without_end(self, line: bytes) -> bytes:
        return line[:-1] if self.end == LineEnd.CRLF and line.endswith(b"\r") else line


def shown(data: bytes, most: int = SHOWN) -> str:
    """`data` as text for people: printable ASCII unchanged, every other byte as `\\xNN`, cut off at `most` bytes
    but for a line end behind them.

    >>> shown(b"PUT 3\\r"), shown("٤".encode())
    ('PUT 3\\\\x0d', '\\\\xd9\\\\xa4')
    """
    text = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data[:most])
    if len(data) <= most:
        return text
    end = "\\x0a" if data.endswith(b"\n") else ""
    return f"{text}… ({len(data)} bytes){end}"


def is_overlong(text: str) -> bool:
    """Whether `text` is the output of `shown` for a line that was cut off."""
    import re  # imported only where needed, so that a runner starts sooner

    cut = re.search(CUT, text)
    return cut is not None and int(cut[1]) >= LINE_CAP
