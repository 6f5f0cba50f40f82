"""Templates as they are served, without indentation and lines of tags, which only help readers of the template."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader

_INDENTED = re.compile(r"\n\s+")
# What leaves nothing on the page leaves no empty line there either. What stands beside it still ends with its own line,
# and so does what is included.
_SILENT = "if|elif|else|endif|for|empty|endfor|with|endwith|block|endblock|extends|include|load"
_TAG = rf"(?:\{{% (?:{_SILENT})\b(?:(?!%\}}).)*%\}}|\{{#(?:(?!#\}}).)*#\}})"
_LINE_OF_TAGS = re.compile(rf"^({_TAG}(?: *{_TAG})*)\n", re.MULTILINE)


class FlushLoader(Loader):
    """Reads templates of ours without what is a tenth of a page as it travels. It does so once a template, and changes
    no text that a page shows: that comes in by values.
    """

    def get_contents(self, origin: Origin) -> str:
        return _LINE_OF_TAGS.sub(r"\1", _INDENTED.sub("\n", super().get_contents(origin)))
