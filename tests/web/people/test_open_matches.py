from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from arena.host import Host
from arena.models import Match
from tests.web.browsing import Person, flowing, text, two_people


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
