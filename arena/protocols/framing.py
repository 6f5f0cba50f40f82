"""Bytes to lines, for every line protocol (protocols.md, Framing).

Lines stay bytes: `str.splitlines` also cuts at U+2028 and `int()` also reads `٤` and `4_0`. Any segmentation of the
same bytes gives the same lines, at a cost that is linear in their number. A line that grows over the cap is cut off
while it is being read, so nothing that a peer sends makes us hold more than the cap.
"""

from __future__ import annotations

LINE_CAP = 512
# How much of a bad line an error message repeats, and what stands behind a line that was cut there.
SHOWN = 80
CUT = r"… \((\d+) bytes\)$"


class LineEnd:
    """What ends a line of a protocol. `ANY` swallows the LF of a CRLF also when it comes in the next segment."""

    LF = "\\n and nothing else"
    CRLF = "\\n, a \\r before it is not part of the line"
    ANY = "\\n, \\r or \\r\\n"


class LineBuffer:
    """The bytes of one connection on their way to lines.

    `overlong` holds the first `cap` bytes of a line that never ended; from then on everything is dropped.
    """

    __slots__ = ("_after_cr", "_partial", "cap", "end", "overlong")

    def __init__(self, end: str, cap: int = LINE_CAP) -> None:
        self.end, self.cap = end, cap
        self.overlong: bytes | None = None
        self._partial = bytearray()
        self._after_cr = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their ends."""
        if self.overlong is not None or not data:
            return []
        if self.end == LineEnd.ANY and (self._after_cr or b"\r" in data):
            data = self._one_end(data)
        if not self._partial and 0 <= data.find(b"\n") == len(data) - 1 <= self.cap:
            return [self._without_end(data[:-1])]  # as most come: just one line, and all of it
        *pieces, rest = data.split(b"\n")
        lines: list[bytes] = []
        for piece in pieces:
            if not self._grow(piece):
                return lines
            lines.append(self._take())
        self._grow(rest)
        return lines

    def finish(self) -> bytes:
        """The bytes of a last line that the end of the input left without its end."""
        return self._take()

    @property
    def begun(self) -> int:
        """How many bytes of an unfinished line have come."""
        return len(self._partial)

    def clear(self) -> None:
        """Forget the bytes of a line that has not ended yet."""
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


def shown(data: bytes) -> str:
    """`data` as text for people: printable ASCII as it is, every other byte as `\\xNN`, cut at `SHOWN` bytes.

    >>> shown(b"PUT 3\\r"), shown("٤".encode())
    ('PUT 3\\\\x0d', '\\\\xd9\\\\xa4')
    """
    text = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data[:SHOWN])
    return text if len(data) <= SHOWN else f"{text}… ({len(data)} bytes)"


def is_overlong(text: str) -> bool:
    """Whether `text` is what `shown` says of a line that was cut off while it was read."""
    import re  # not where nobody asks: a runner starts sooner without

    cut = re.search(CUT, text)
    return cut is not None and int(cut[1]) >= LINE_CAP
