"""What a front asks its host: which function answers, and what a value is when it has crossed the bus."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils.safestring import SafeString, mark_safe

from arena.host import Host, NoHost
from arena.web import elsewhere
from arena.web.elsewhere import of_the_host, packed, unpacked


@of_the_host
async def doubled(host: Host, number: int) -> dict[str, Any]:
    return {"host": host is not None, "number": 2 * number}


def test_html_stays_html_and_text_stays_text() -> None:
    value = {"picture": mark_safe("<svg>"), "name": "<Ada>", "pair": (1, [mark_safe("<b>"), None])}
    heard = unpacked(json.loads(json.dumps(packed(value))))
    assert heard == {"picture": "<svg>", "name": "<Ada>", "pair": [1, ["<b>", None]]}
    assert isinstance(heard["picture"], SafeString) and isinstance(heard["pair"][1][0], SafeString)
    assert not isinstance(heard["name"], SafeString)


async def test_with_a_host_a_question_is_a_call(host: Host) -> None:
    assert await doubled(host, 4) == {"host": True, "number": 8}
    assert f"{__name__}.doubled" in elsewhere.questions


async def test_where_there_is_neither_host_nor_mirror_nobody_answers() -> None:
    with pytest.raises(NoHost):
        await doubled(None, 4)
    with pytest.raises(NoHost):
        elsewhere.mirror()
