"""Numbers that people and programs send as text."""

from __future__ import annotations

# The largest number that a column of the database holds.
LARGEST = 2**63 - 1


def whole_number(text: str, least: int = 0, most: int = LARGEST) -> int | None:
    """The number that `text` writes in the digits 0 to 9 alone, or None if it is not one from `least` to `most`."""
    if not (text.isascii() and text.isdecimal() and len(text.lstrip("0")) <= len(str(most))):
        return None
    number = int(text.lstrip("0") or "0")
    return number if least <= number <= most else None
