"""A self-hosted game arena. A folder `arena/` elsewhere on the Python path adds to it: see `arena.protocols`."""

import os
import sys

# `pkgutil.extend_path` does the same, and its import takes longer than starting Python.
__path__ += [folder for base in sys.path if os.path.isdir(folder := os.path.abspath(os.path.join(base, "arena")))]
__path__ = list(dict.fromkeys(__path__))
