"""What a module that is loaded later gives, and when."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from arena.play import later

later.load("inspect")
import dataclasses, inspect
print("dis" in sys.modules, inspect.isfunction(later.load), "dis" in sys.modules)
from inspect import signature
print(signature(later.load), hasattr(inspect, "nothing"), hasattr(inspect, "__path__"))
later.load("inspect")
import inspect as again
print(again.signature is signature, again.ismodule(again))
"""


def test_it_is_loaded_once_somebody_looks_into_it() -> None:
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["False True True", "(name: 'str') -> 'None' False False", "True True"]
