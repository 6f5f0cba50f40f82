"""Common mistakes of authors of `santorini-course` bots."""

from __future__ import annotations

from arena.protocols.santorini_hints import NO_JSON

HINTS = NO_JSON
