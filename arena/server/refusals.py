"""Answers that are given before the application hears of a request: whole answers, as bytes."""

from __future__ import annotations

import json

from arena.common import descriptors

_API = b"/api/"


def too_large(path: bytes, most: int) -> bytes:
    """The body of a request is larger than `most` bytes: 413, to programs as JSON like every error below /api/."""
    words = f"The request body is too large: at most {most} bytes are taken."
    if not path.startswith(_API):
        return _answer("413 Content Too Large", "text/plain", f"{words}\n")
    error = {"code": "too_large", "sentence": words, "hint": "Send less at once."}
    return _answer("413 Content Too Large", "application/json", json.dumps({"error": error}))


def no_room() -> bytes:
    """No file descriptor is left for another connection: 503."""
    return _answer("503 Service Unavailable", "text/plain", f"{descriptors.WORDS}\n", "Retry-After: 60\r\n")


def _answer(status: str, kind: str, words: str, more: str = "") -> bytes:
    body = words.encode()
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\n{more}Content-Type: {kind}; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
