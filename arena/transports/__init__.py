"""Transports move bytes and understand nothing they carry. `listen` and `spawn` make one, give it to the caller's
factory, and tell the receiver it returns what happens; `connection_lost` is the last call, and always comes.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from arena.transports.shape import Gate, Receiver, Transport

# More than this waiting unsent means that the peer does not read: it is dropped, since nobody waits for a slow reader.
WRITE_LIMIT = 64 * 1024
# How long `close` tries to deliver what was written.
CLOSE_S = 2.0

__all__ = ["CLOSE_S", "WRITE_LIMIT", "Gate", "Receiver", "Transport"]


def __getattr__(name: str) -> object:
    """What `shape` defines, loaded when somebody asks for it."""
    if name not in ("Gate", "Receiver", "Transport"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.transports import shape

    return getattr(shape, name)
