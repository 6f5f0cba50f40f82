"""Staff at work in a real browser: a match decided in three clicks, and the administration looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
import pytest_asyncio
from django.contrib.auth.models import Group, User
from django.utils import timezone
from playwright.async_api import Browser, Locator, Page, expect

from arena.models import AccessToken, Audit, Delivery, Machine, Room, Tournament, Webhook, Work
from tests.browser import axe, cups
from tests.browser.layout import LOOKS, is_readable, overflow, picture, resized
from tests.browser.rows import PASSWORD, ROOT_NAME, Rows
from tests.browser.sharing import of_module
from tests.browser.test_play import a_match, a_page, at_match, begun, led_to
from tests.kit.server import Server

server = of_module
HEIGHT = 900
# Where the longest words are: on forms of one template and one style sheet.
LONG = (
    ("machines", "webhook", "accesstoken", "work", "user", "user-add"),
    ("bot-add", "delivery", "machine", "room", "group"),
)
FONT = "Inter Variable"
# What stands before each cell of a list, but those to tick.
LABELS = """() => [...document.querySelectorAll("#result_list td:not(.action-checkbox)")]
  .map((cell) => getComputedStyle(cell, "::before").content)"""

# How many lines the names of variants in a list take.
LINES_OF_VARIANTS = """() => [...new Set([...document.querySelectorAll(".field-variant")].map((each) => {
  const words = document.createRange();
  words.selectNodeContents(each);
  return new Set([...words.getClientRects()].map((line) => line.top)).size;
}))]"""

# How many lines the words of the five numbers take.
LINES = """() => [...document.querySelectorAll(".now a")].map((each) => {
  const words = document.createRange();
  words.selectNodeContents(each.firstChild.textContent.trim() ? each.firstChild : each.firstElementChild);
  return words.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight);
})"""
# What stands out of the row of a form, where it is cut off.
CUT_OFF = """() => [...document.querySelectorAll(".form-row :is(input, select, textarea, label, .rights)")]
  .filter((each) => each.getBoundingClientRect().right > each.closest(".form-row").getBoundingClientRect().right + 1)
  .map((each) => each.outerHTML)"""


async def root(browser: Browser, server: Server, rows: Rows, path: str = "/admin/") -> Page:
    """A page of the superuser, on the first page of the administration, or on none yet if `path` is empty."""
    page = await a_page(browser, server, "", viewport={"width": 1280, "height": HEIGHT})
    await rows.log_in(server, page.context)
    if path:
        await page.goto(server.address + path)
        await expect(page.locator(".now")).to_be_visible()
    return page


async def looked_at(page: Page, name: str) -> None:
    assert await axe.violations(page) == [], page.url
    await picture(page, name)


async def test_a_match_is_decided_in_three_clicks_and_the_players_read_why(
    browser: Browser, server: Server, rows: Rows
) -> None:
    player, staff = await a_match(browser, server), await root(browser, server, rows, "")
    before = await rows(server, Audit.objects.count)
    await staff.goto(player.url)
    await staff.click("text=Staff")
    await staff.click("text=Decide this match")
    reason = staff.locator("dialog #decide-reason")
    await expect(reason).to_be_focused()
    await staff.keyboard.type("an earthquake")
    await looked_at(staff, "decide-dialog")
    # Players read it before it stands in the audit; who decided is led back when all of it is done.
    async with staff.expect_navigation(url=player.url):
        await staff.click("dialog button[value='0']")
    card = player.locator(".result")
    await expect(card).to_contain_text("You won (by decision)")
    await expect(card).to_contain_text("Decided by referee ada: “an earthquake”")
    await expect(staff.locator(".result")).to_contain_text("won (by decision)")
    await staff.goto(f"{server.address}/admin/")
    await expect(staff.locator("[aria-labelledby=h-acts] li", has_text="an earthquake")).to_have_count(1)
    await staff.goto(f"{server.address}/admin/arena/audit/")
    await expect(staff.locator("#result_list tbody tr")).to_have_count(before + 1)
    await _what_ended_is_overruled_before_the_eyes_of_who_looks(staff, await a_match(browser, server))
    await _without_a_script_it_is_a_page(staff, await a_match(browser, server))


async def _what_ended_is_overruled_before_the_eyes_of_who_looks(staff: Page, player: Page) -> None:
    await player.click("text=Resign")
    await player.click(".ask form.resign button")
    await expect(player.locator(".result")).to_contain_text("You resigned")
    await resized(staff, 390, HEIGHT)
    await staff.goto(player.url)
    await staff.click("text=Staff")
    menu = await staff.locator(".staff .menu-list").bounding_box()
    assert menu is not None and menu["x"] >= 0 and menu["x"] + menu["width"] <= 390
    await looked_at(staff, "staff-menu-390")
    await staff.click("text=Decide this match")
    await staff.fill("dialog #decide-reason", "the cable was pulled")
    await staff.click("dialog button[value='void']")
    await expect(staff.locator(".result")).to_contain_text("Declared void by referee ada: “the cable was pulled”.")
    await player.reload()
    await expect(player.locator(".result")).to_contain_text("Not counted")
    await resized(staff, 1280, HEIGHT)


async def _without_a_script_it_is_a_page(staff: Page, player: Page) -> None:
    await staff.goto(re.sub(r"\?.*", "", player.url) + "decide/")
    await looked_at(staff, "decide-page")
    await staff.fill("#decide-reason", "a storm")
    await staff.click("button[value='draw']")
    await at_match(staff)
    await expect(player.locator(".result")).to_contain_text("Decided by referee ada: “a storm”")


async def test_the_administration_is_for_everyone(browser: Browser, server: Server, rows: Rows) -> None:
    player = await a_match(browser, server)
    match = player.url.rstrip("/").rpartition("/")[2]
    staff = await root(browser, server, rows)
    await expect(staff.locator(".now")).to_contain_text("1 running")
    await is_for_everyone(staff, "admin-index", fits=True)
    await resized(staff, 360, HEIGHT)
    assert max(await staff.evaluate(LINES)) < 1.5, "each of the five is one word on one line"
    running = staff.locator(".scroll[aria-label='Running matches']")
    assert await running.evaluate("each => each.scrollWidth <= each.clientWidth"), "its state is seen without scrolling"
    await resized(staff, 1280, HEIGHT)
    await staff.goto(f"{server.address}/admin/arena/match/")
    await is_for_everyone(staff, "admin-matches")
    await resized(staff, 390, HEIGHT)
    labels = await staff.evaluate(LABELS)
    assert '"Variant: "' in labels and "none" not in labels
    await resized(staff, 1280, HEIGHT)
    assert set(await staff.evaluate(LABELS)) == {"none"}
    await staff.goto(f"{server.address}/admin/arena/match/{match}/change/")
    await expect(staff.locator(".board svg")).to_be_visible()
    assert await staff.evaluate("[...document.fonts].map((each) => each.family.replaceAll('\"', ''))") == [FONT]
    panels = staff.locator("#live .panel > h2")
    await expect(panels).to_contain_text(["Seats", "Past actions", "Both wires", "Log"])
    await is_for_everyone(staff, "admin-match", fits=True)
    await staff.click("button[value=pause]")
    await expect(staff.locator(".told")).to_contain_text("Clocks stop until it continues")
    await is_for_everyone(staff, "admin-confirm")
    await staff.fill("[name=reason]", "a power cut")
    await staff.click("input[type=submit][value=Pause]")
    await expect(staff.locator(".messagelist")).to_contain_text("now paused, 2 moves")
    await expect(player.locator("#status")).to_contain_text("A referee has paused this match")


async def _below(one: Locator, other: Locator) -> bool:
    first, second = await one.bounding_box(), await other.bounding_box()
    assert first is not None and second is not None
    return first["y"] + first["height"] <= second["y"]


async def test_lists_have_the_width_of_the_page_a_used_filter_is_open_and_the_search_has_a_key(
    browser: Browser, server: Server, rows: Rows
) -> None:
    await begun(server)
    event = await rows(server, _half_played)
    staff = await _logged_in_by_the_form(browser, server, rows)
    await _the_head_has_the_mark_of_the_site_and_a_key_for_its_search(staff)
    await staff.goto(f"{server.address}/admin/arena/match/")
    assert await staff.locator("#changelist .results").evaluate("(each) => each.scrollWidth <= each.clientWidth")
    filters, table = staff.locator("#changelist-filter"), staff.locator("#result_list")
    assert await _below(filters, table) and await staff.evaluate(LINES_OF_VARIANTS) == [1]
    above, toolbar = await filters.bounding_box(), await staff.locator("#toolbar").bounding_box()
    assert above is not None and toolbar is not None and above["width"] == toolbar["width"]
    await expect(filters.locator("details[open]")).to_have_count(0)
    await filters.get_by_text("By variant").click()
    await filters.get_by_role("link", name="Connect Four 7 × 6").click()  # noqa: RUF001
    await expect(filters.locator("details[open]")).to_have_count(1)
    await staff.evaluate("sessionStorage.clear()")  # Django remembers there what was opened by hand
    await staff.reload()
    await expect(filters.locator("details[open]")).to_contain_text("By variant")
    await resized(staff, 1920, HEIGHT)
    assert not await _below(filters, table)
    await resized(staff, 1280, HEIGHT)
    await staff.goto(f"{server.address}/admin/arena/tournament/{event}/change/?round=1")
    await _shows_the_points_of_long_names_and_wide_buttons_on_a_phone(staff)


async def _logged_in_by_the_form(browser: Browser, server: Server, rows: Rows) -> Page:
    await rows.make_root(server)
    staff = await a_page(browser, server, "/admin/login/", viewport={"width": 1280, "height": HEIGHT})
    await staff.fill("[name=username]", ROOT_NAME)
    await staff.fill("[name=password]", PASSWORD)
    await staff.press("[name=password]", "Enter")
    return await led_to(staff, f"{server.address}/admin/")


async def _the_head_has_the_mark_of_the_site_and_a_key_for_its_search(staff: Page) -> None:
    mark = await staff.locator("#site-name use").evaluate("each => each.getBBox().width")
    assert mark > 0, "the picture is there"
    await staff.keyboard.press("/")
    search = staff.get_by_role("searchbox", name="Search")
    await expect(search).to_be_focused()
    await staff.keyboard.type("a/b")
    await expect(search).to_have_value("a/b")


async def _shows_the_points_of_long_names_and_wide_buttons_on_a_phone(staff: Page) -> None:
    assert await staff.locator(".scroll[aria-label=Table]").evaluate("(each) => each.scrollWidth <= each.clientWidth")
    await resized(staff, 390, HEIGHT)
    await staff.evaluate("document.querySelector('.event details').open = true")
    again = await staff.get_by_role("link", name="Re-run ").first.bounding_box()
    assert again is not None and again["width"] > 200


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def addresses(module_server: Server, rows: Rows) -> dict[str, str]:
    """Of pages whose rows have the longest words."""
    return await rows(module_server, _long_rows)


@pytest.mark.cases(1)
@pytest.mark.parametrize("names", LONG)
async def test_the_longest_words_fit_on_the_page_of_what_has_them(
    browser: Browser, server: Server, rows: Rows, addresses: Mapping[str, str], names: Sequence[str]
) -> None:
    assert set(addresses) == {name for names in LONG for name in names}
    staff = await root(browser, server, rows, "")
    for name in names:
        await staff.goto(f"{server.address}{addresses[name]}")
        await is_for_everyone(staff, f"admin-{name}", fits=True)
        await expect(staff.locator(".closelink")).not_to_be_visible()
        assert not await staff.evaluate(UNDER_TOOLS), name


# Whether words of the heading lie under the buttons beside it.
UNDER_TOOLS = """() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector("#content h1"));
  return [...document.querySelectorAll(".object-tools a")].map((tool) => tool.getBoundingClientRect()).some((tool) =>
    [...words.getClientRects()].some((line) =>
      line.right > tool.left && line.left < tool.right && line.bottom > tool.top && line.top < tool.bottom));
}"""


def _half_played() -> int:
    cups.half("Yule cup")
    return Tournament.objects.get(name="Yule cup").pk


def _long_rows() -> dict[str, str]:
    """The addresses of their pages."""
    now, long = timezone.now(), "w" * 60
    user = User.objects.create_user(long)
    webhook = Webhook.objects.create(user=user, url=f"https://{long}.example.org/{long}/{long}", receiver=long)
    delivery = Delivery.objects.create(webhook=webhook, kind="test", tries=3, status=500, said=long, body=long * 9)
    token = AccessToken.objects.create(user=user, name=long, sha256="0" * 64, scopes="play", ends=now)
    machine = Machine.objects.create(name=long, machine_class=long[:32], slots=2, speed=90, sandbox=3, seen=now)
    work = Work.objects.create(kind="play", key=f"pairing:{long}", state="failed", why=f"{long} {long}")
    group, _ = Group.objects.get_or_create(name=long)
    room = Room.objects.create(code=long[:40], shown_code=long[:40], variant="connect-four-7x6", title=long, owner=user)
    row = {"webhook": webhook, "delivery": delivery, "accesstoken": token, "machine": machine, "work": work}
    row |= {"room": room}
    pages = {name: f"/admin/arena/{name}/{each.pk}/change/" for name, each in row.items()}
    accounts = {"user": f"user/{user.pk}/change/", "group": f"group/{group.pk}/change/", "user-add": "user/add/"}
    pages |= {name: f"/admin/auth/{address}" for name, address in accounts.items()}
    return {"machines": "/admin/machines/", "bot-add": "/admin/arena/bot/add/", **pages}


async def is_for_everyone(page: Page, name: str, fits: bool = False) -> None:
    """On a desk and on a phone, in both themes; `fits`: without scrolling sideways."""
    for width in (1280, 390):
        await resized(page, width, HEIGHT)
        assert not fits or await overflow(page) == [], f"{name} at {width}"
        assert not fits or await page.evaluate(CUT_OFF) == [], f"{name} at {width}"
    await is_readable(page, name, LOOKS[:4])
    await resized(page, 1280, HEIGHT)
