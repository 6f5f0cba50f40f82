"""Codes that are read aloud and typed: for the first administrator, and for a new password. Only digests are kept."""

from __future__ import annotations

import hashlib
import secrets

# Without letters that look like digits. 12 of 31 letters are 59 bits.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


def new_code() -> str:
    """A new random code such as `K7QM-2WXR-9ABC`."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(3))


def digest(code: str) -> str:
    """SHA-256 of the code, which may be typed with or without hyphens, in either case."""
    return hashlib.sha256(code.upper().replace("-", "").replace(" ", "").encode()).hexdigest()
