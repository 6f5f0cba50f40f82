"""What an invitation says: to the guest, to the host, to a program that previews the link."""

from __future__ import annotations

import html

from arena.host import Host
from tests.kit.browsing import HTMX, Person, flowing, text


async def test_the_guest_reads_who_invites_the_settings_in_a_line_and_has_one_button(host: Host) -> None:
    ada, guest = Person(), Person()
    address = (await ada.post("/r/friend/", variant="connect-four-7x6"))["Location"]
    page = text(await guest.get(address))
    assert "invites you to play</h1>" in page and "you first · no clock · friendly" in page
    assert page.count('class="btn primary"') == 1 and "<svg" in page.partition('class="invited ')[2][:700]
    assert page.count("<li>", page.index('id="rules"')) == 3, "the rules in three lines"
    assert 'class="qr"' not in page and 'id="settings"' not in page


async def test_the_guest_reads_whether_who_invites_is_there(host: Host) -> None:
    ada, guest = Person(), Person()
    address = (await ada.post("/r/friend/", variant="connect-four-7x6"))["Location"]
    for page in (address, f"{address}state/?waiting"):
        shown = flowing(await guest.get(page, **HTMX))
        assert shown.count('class="waits"') == 1 and "is waiting.</span></p>" in shown, page
        # The player who waits has the second disc; the disc of the one who sits down lies above the board.
        assert "#d1" in shown.partition('id="waits"')[2].partition("</p>")[0], page
    assert "#d0" in text(await guest.get(address)).partition('class="invited ')[2].partition("</div>")[0]
    assert 'class="waits"' not in text(await ada.get(address))
    await guest.post(f"{address}sit/")
    assert 'class="waits"' not in text(await Person().get(address))


async def test_bots_are_folded_away(host: Host) -> None:
    address = (await Person().post("/r/friend/", variant="connect-four-7x6"))["Location"]
    before, _, after = text(await Person().get(address)).partition('id="bring"')
    assert "connect to" not in before
    assert not after or "Bring a bot" in after


async def test_the_host_has_link_code_and_settings(host: Host) -> None:
    ada = Person()
    address = (await ada.post("/r/friend/", variant="connect-four-7x6"))["Location"]
    page = text(await ada.get(address))
    assert (
        f"http://testserver{address}</code>" in page.replace("<wbr>", "")
        and 'class="qr"' in page
        and "data-share" in page
    )
    assert "friend first" in page and 'id="settings"' in page


async def test_the_host_sees_both_discs_the_free_one_pale_and_what_to_do_meanwhile(host: Host) -> None:
    ada = Person()
    address = (await ada.post("/r/friend/", variant="santorini-6x6"))["Location"]
    page = flowing(await ada.get(address))
    first, second = page.partition('class="duo"')[2].partition("</span> <p")[0].split("</span><span")
    assert 'class="free"' in first and "#d0" in first and "free" not in second and "#d1" in second
    assert "Free seat" not in page
    meanwhile = page.partition('id="meanwhile"')[2].partition("</details>")[0]
    assert 'href="/?game=santorini-6x6" target="_blank"' in meanwhile and 'id="change-0"' in meanwhile


async def test_a_preview_says_who_invites_to_what_and_shows_the_board(host: Host) -> None:
    ada = Person()
    address = (await ada.post("/r/friend/", variant="santorini-5x5"))["Location"]
    page = html.unescape(flowing(await Person().get(address)))
    assert 'property="og:title"' in page and "invites you to play Santorini" in page
    assert f'property="og:image" content="http://testserver{address}card.png"' in page
