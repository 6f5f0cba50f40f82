"""`play` as a function of the engine: a spec as JSON in, the logs of its matches as JSON out.

It needs no database and no settings, so it can be run wherever there is a processor.
"""

from __future__ import annotations

from typing import Any

from arena.play.driver import play
from arena.play.spec import Spec

FUNCTION = f"{__name__}:played"


def played(job: dict[str, Any]) -> dict[str, Any]:
    """Play the spec of a job `{"spec": …}` and answer `{"logs": […]}`, each as `Log.to_data` has it.

    Raises what `play` raises for a spec that cannot be played.
    """
    return {"logs": [log.to_data() for log in play(Spec.from_data(job["spec"]))]}
