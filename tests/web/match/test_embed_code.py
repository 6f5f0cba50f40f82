"""The code that others paste: it is whole, and no name breaks out of it."""

from __future__ import annotations

from html import unescape

from arena.host import Host
from tests.kit.browsing import Person, text, two_people


async def test_the_page_of_a_match_offers_a_frame_and_that_of_a_private_one_does_not(host: Host) -> None:
    live, first, _ = await two_people(host)
    page = text(await Person().get(f"/m/{live.id}/?tab=info"))
    assert f'<iframe src="http://testserver/m/{live.id}/embed/" title="' in unescape(page)
    live.private = True
    assert "iframe" not in text(await first.get(f"/m/{live.id}/?tab=info"))
