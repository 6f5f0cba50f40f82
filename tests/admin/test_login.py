"""The admin's own page to log in: it is no way around what holds on ours."""

from __future__ import annotations

from contextlib import suppress

from django.test import RequestFactory

from arena.admin.login import ENDED
from arena.host import Host
from arena.web.limits import TooMany
from arena.web.people.accounts import LOGINS
from tests.kit.browsing import Person, far_away, new_address, text


def used_up(address: str) -> None:
    """As many attempts from there as it has, whatever was tried."""
    asked = RequestFactory().post("/login/", REMOTE_ADDR=address)
    with suppress(TooMany):
        while True:
            LOGINS.check(asked)


async def test_attempts_are_counted_over_all_pages_that_take_a_secret(host: Host) -> None:
    address, fields = new_address(), {"username": "root", "password": "x"}
    here = far_away(address)
    assert (await here.post("/admin/login/", **fields)).status_code == 200
    for page in ("/admin/login/", "/admin/claim/", "/login/"):
        for _ in range(20):  # three seconds of a busy machine give one attempt back
            used_up(address)
            answer = await here.post(page, **fields)
            if answer.status_code == 429:
                break
        assert answer.status_code == 429 and int(answer["Retry-After"]) > 0, page
        assert "Too many attempts to log in" in text(answer)
    assert (await far_away().post("/admin/login/", **fields)).status_code == 200


async def test_a_guest_who_plays_does_not_leave_their_seat_there(host: Host) -> None:
    guest = Person()
    made = await guest.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    await Person().post(f"{made['Location']}sit/")
    answer = await guest.post("/admin/login/", username="root", password="x")
    assert answer.status_code == 409 and "Finish or resign that match" in text(answer)


async def test_there_is_one_page_for_a_new_password(host: Host) -> None:
    assert (await Person().get("/admin/password_change/"))["Location"] == "/settings/password/"


async def test_who_sends_a_form_after_their_session_has_ended_reads_that_nothing_was_done(host: Host) -> None:
    person = Person()
    led = await person.post("/admin/arena/bot/", action="disabled")
    assert led["Location"] == "/admin/login/?next=/admin/arena/bot/"
    assert ENDED in text(await person.get(led["Location"], Referer="http://testserver/admin/arena/bot/"))
    for other in ("", "http://testserver/", "http://testserver/admin/login/", "http://testserver/admin/logout/"):
        assert "session" not in text(await person.get(led["Location"], Referer=other))
