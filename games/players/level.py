"""The strength of each level in one table. It comes from depth and a falling error rate together: a shallow player
without errors feels robotic, and from `casual` up a missed win in one would feel broken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """One level.

    `sees_win` and `sees_danger` are the chances to notice one's own and the opponent's win in one; `central` prefers
    the centre when neither is seen; `depth` is in plies, 0 for no search; `slip` is the chance to play the second-best
    move; `seconds` limits the processor time per move; `proves` plays the moves that a prover proves best.
    """

    name: str
    sees_win: float = 1.0
    sees_danger: float = 1.0
    central: bool = False
    depth: int = 0
    slip: float = 0.0
    seconds: float = 0.1
    proves: bool = False


# Deeper than a second of thinking gets, and at two Python frames a ply well below the recursion limit of 1 000.
_TO_THE_END = 200

EVERY_LEVEL = (
    Level("random", sees_win=0.0, sees_danger=0.0),
    Level("beginner", sees_win=0.5, sees_danger=0.5),
    Level("casual", central=True),
    Level("club", depth=4, slip=0.15),
    Level("expert", depth=9, slip=0.03, seconds=1.0),
    Level("best", depth=_TO_THE_END, seconds=math.inf, proves=True),
)
