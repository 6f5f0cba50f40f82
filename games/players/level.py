"""How strong each level plays, as one table: what it sees, how far it looks, how often it slips.

Strength comes from depth and from a falling rate of errors together, since a shallow player without errors feels
robotic. From `casual` up a win in one is never missed: a missed one feels broken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """One level.

    `sees_win` and `sees_danger` are chances to notice a win in one, one's own and the other's; `central` prefers the
    centre where nothing is seen; `depth` in plies, 0 for no search at all; `slip` is the chance to make the second
    best move; `seconds` is the most processor time it may take; `proves` plays what a prover proves.
    """

    name: str
    sees_win: float = 1.0
    sees_danger: float = 1.0
    central: bool = False
    depth: int = 0
    slip: float = 0.0
    seconds: float = 0.1
    proves: bool = False


# Further than a second of thinking gets, and two Python frames a ply stay well below the interpreter's 1 000.
_TO_THE_END = 200

EVERY_LEVEL = (
    Level("random", sees_win=0.0, sees_danger=0.0),
    Level("beginner", sees_win=0.5, sees_danger=0.5),
    Level("casual", central=True),
    Level("club", depth=4, slip=0.15),
    Level("expert", depth=9, slip=0.03, seconds=1.0),
    Level("best", depth=_TO_THE_END, seconds=math.inf, proves=True),
)
