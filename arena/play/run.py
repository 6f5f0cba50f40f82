"""`play` as a job: a spec as JSON in, the logs of its matches as JSON out.

It needs no database and no settings, so it can run on any machine.
"""

from __future__ import annotations

from typing import Any

from arena.play.driver import play
from arena.play.spec import Spec
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.play.slicing import SendSlice

FUNCTION = f"{__name__}:played"


def played(job: dict[str, Any], send_slice: SendSlice | None = None) -> dict[str, Any]:
    """The logs `{"logs": […]}` of the job `{"spec": …}`. Raises what `play` raises for a spec it cannot play."""
    return {"logs": [log.to_data() for log in play(Spec.from_data(job["spec"]), send_slice=send_slice)]}
