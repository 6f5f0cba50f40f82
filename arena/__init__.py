"""A self-hosted game arena. A folder `arena/` elsewhere on the Python path adds to it: see `arena.protocols`."""

import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)
