from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from arena.host import Host
from arena.models import Event, Match
from tests.kit.browsing import Person, flowing, match_of, text, two_people


async def test_who_has_matches_that_wait_finds_them_on_home_and_profile(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await Match.objects.filter(pk=live.id).aupdate(opened=timezone.now() - timedelta(days=2))
    for person, tag in ((first, "Waiting"), (second, "Your turn")):
        for path in ("/", (await person.get("/me/"))["Location"]):
            page = flowing(await person.get(path))
            yours = page[page.index('id="your-matches"') :]
            assert f'href="/m/{live.id}/"' in yours and f">{tag}</span>" in yours[: yours.index("</section>")]
            assert "Back to it" not in page, "what waits for days does not stand on every page"
    assert "your-matches" not in text(await Person().get("/"))
    assert "your-matches" not in text(await second.get((await first.get("/me/"))["Location"])), "they are one's own"
    await first.post(f"/m/{live.id}/resign/")
    assert "your-matches" not in text(await first.get("/"))


async def test_a_match_that_cannot_be_read_hides_no_other(host: Host) -> None:
    broken, first, _ = await two_people(host)
    opened = await Event.objects.aget(match=broken.id, seq=1)
    await Event.objects.filter(pk=opened.pk).aupdate(data=opened.data | {"variant": "chess"})
    whole = match_of(await first.post("/play/", variant="connect-four-7x6", move="4", level="beginner"))
    page = text(await first.get("/"))
    yours = page[page.index('id="your-matches"') :]
    assert whole in yours and broken.id not in yours[: yours.index("</section>")]
