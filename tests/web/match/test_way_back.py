"""A guest whose cookie is gone comes back by their link, and nobody comes back by anything else."""

from __future__ import annotations

import html
import re

from arena.host import Host
from arena.models import Player
from arena.web import open_sockets
from tests.kit.browsing import Person, far_away, text, two_people
from tests.web.people.test_accounts import account
from tests.web.sockets.test_consumers import watching


async def link_of(person: Person, match: str) -> str:
    """The guest's own link, as the match page shows it to them."""
    found = re.search(r'data-copy="(/m/[^"]+/back/[^"]+)"', text(await person.get(f"/m/{match}/?tab=info")))
    assert found, "the page shows this visitor no way back"
    return html.unescape(found[1])


async def test_a_guest_without_a_cookie_plays_on_by_their_link(host: Host) -> None:
    live, first, _ = await two_people(host)
    link, again = await link_of(first, live.id), Person()
    seen = await again.get(link)
    assert seen.status_code == 200 and live.state.setup.seats[0].name in text(seen)
    assert (await again.play(live, "4")).status_code == 403, "looking at the page makes nobody a player"
    answer = await again.post(link)
    assert answer.status_code == 302 and answer["Location"] == f"/m/{live.id}/"
    assert (await again.play(live, "4")).status_code == 302
    assert [event.seat for event in live.events if event.kind == "move"] == [0]
    assert (await again.get(link)).status_code == 302, "who is there already needs no button"


async def test_the_link_is_shown_to_its_guest_only(host: Host) -> None:
    live, first, second = await two_people(host)
    assert await link_of(first, live.id) != await link_of(second, live.id)
    for other in (Person(), await account("Bob")):
        assert "/back/" not in text(await other.get(f"/m/{live.id}/?tab=info"))


async def test_a_link_is_of_one_match_and_must_be_whole(host: Host) -> None:
    live, first, _ = await two_people(host)
    other, _, _ = await two_people(host)
    link = await link_of(first, live.id)
    for wrong in (link.replace(live.id, other.id, 1), f"{link[:-2]}/", f"/m/{live.id}/back/{'x' * 200}/"):
        for answer in (await Person().get(wrong), await Person().post(wrong)):
            assert answer.status_code == 404, wrong


async def test_a_guest_ends_the_links_that_were_copied_and_has_a_new_one(host: Host) -> None:
    live, first, _ = await two_people(host)
    link = await link_of(first, live.id)
    assert (await Person().post(f"/m/{live.id}/back/")).status_code == 403
    assert (await first.post(f"/m/{live.id}/back/"))["Location"] == f"/m/{live.id}/?tab=info"
    answer = await Person().post(link)
    assert answer.status_code == 410 and "Its player has ended it" in text(answer)
    assert f'href="/m/{live.id}/">Watch the match</a>' in text(answer)
    assert (await Person().post(await link_of(first, live.id))).status_code == 302


async def test_a_guest_who_signs_up_is_nobody_in_their_other_browser(host: Host) -> None:
    live, first, _ = await two_people(host)
    again = Person()
    assert (await again.post(await link_of(first, live.id))).status_code == 302
    async with watching(again, live) as there, watching(first, live) as here:
        await here.text()
        await there.text()
        await account("Mira K", first)
        assert (await there.code(), await here.code()) == (open_sockets.LOGGED_OUT, open_sockets.AGAIN)
    assert (await again.play(live, "4")).status_code == 403
    assert (await first.play(live, "4")).status_code == 302


async def test_a_link_ends_with_its_match(host: Host) -> None:
    live, first, second = await two_people(host)
    link = await link_of(first, live.id)
    await first.play(live, "4")
    await second.play(live, "4")
    await first.post(f"/m/{live.id}/resign/")
    assert live.over
    for person in (Person(), first):
        assert (await person.post(link))["Location"] == (await person.get(link))["Location"] == f"/m/{live.id}/"
        assert "This is how it ended" in text(await person.get(f"/m/{live.id}/"))
    assert "/back/" not in text(await first.get(f"/m/{live.id}/?tab=info"))


async def test_a_link_ends_when_the_guest_has_an_account(host: Host) -> None:
    live, first, _ = await two_people(host)
    link = await link_of(first, live.id)
    await account("Mira K", first)
    assert (await Person().post(link)).status_code == 410
    assert "/back/" not in text(await first.get(f"/m/{live.id}/?tab=info"))


async def test_nobody_who_is_somebody_else_is_changed_into_the_guest(host: Host) -> None:
    live, first, second = await two_people(host)
    link, bob = await link_of(first, live.id), await account("Bob")
    assert (await bob.post(link)).status_code == 409, "an account"
    assert (await second.post(link)).status_code == 409, "the opponent, who plays"
    assert (await second.play(live, "4")).status_code == 409, "the opponent has their own side still"


async def test_links_are_not_tried_without_end(host: Host) -> None:
    guesser = far_away()
    statuses = {(await guesser.get(f"/m/abc/back/guess-{number}/")).status_code for number in range(40)}
    assert statuses == {404, 429}
    assert not await Player.objects.aexists()


async def test_another_browser_of_a_guest_is_nobody_once_the_guest_has_an_account(host: Host) -> None:
    """A person who was given the link is not given the account."""
    live, first, second = await two_people(host)
    other = Person()
    await other.post(await link_of(first, live.id))
    assert (await other.play(live, "4")).status_code == 302
    await account("Mira K", first)
    await second.play(live, "4")
    assert (await other.play(live, "4")).status_code == 403
    assert "Mira K" not in text(await other.get("/settings/"))
    assert (await first.play(live, "4")).status_code == 302
