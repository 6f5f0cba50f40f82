"""A text that is sent to many websockets: encoded as a websocket frame once, for the first reader."""

from __future__ import annotations

from functools import cached_property

# Extensions of a websocket's scope: it writes a frame for many at once (`ArenaWebSocket.write_frame`), and measures its
# round trips (`ArenaWebSocket.measure`).
WRITE_FRAME, MEASURE = "arena.write_frame", "arena.measure"
# The last frame of a message, which is text (RFC 6455 section 5.2). A server sends without a mask.
FINAL_TEXT = b"\x81"
LARGEST_IN_A_BYTE, LARGEST_IN_TWO = 125, 0xFFFF


class TextFrame(str):
    """The text itself, for readers that pass it on; `encoded` for the connections of this process."""

    # How many were encoded: it shows that each is encoded only once.
    encodings = 0

    @cached_property
    def encoded(self) -> bytes:
        """Header and payload, as they are sent."""
        TextFrame.encodings += 1
        payload = self.encode()
        size = len(payload)
        if size <= LARGEST_IN_A_BYTE:
            return b"%b%c%b" % (FINAL_TEXT, size, payload)
        if size <= LARGEST_IN_TWO:
            return b"%b\x7e%b%b" % (FINAL_TEXT, size.to_bytes(2), payload)
        return b"%b\x7f%b%b" % (FINAL_TEXT, size.to_bytes(8), payload)
