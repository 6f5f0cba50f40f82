"""What of a challenge is said, in the reader's language."""

from __future__ import annotations

from arena.host import Host
from tests.kit.browsing import text
from tests.web.room.test_challenging import challenge, people


async def test_a_card_speaks_the_language_of_its_reader(host: Host) -> None:
    ada, bob = await people(host, "Ada", "Bob")
    await challenge(ada, "bob")
    await bob.post("/settings/one/", language="de")
    home = text(await bob.get("/")).replace("\xa0", " ")
    assert "fordert dich heraus" in home and "Vier gewinnt 7 × 6 · 5:00 je Seite · freundschaftlich" in home  # noqa: RUF001
    assert "Waiting for" in text(await ada.get("/"))
