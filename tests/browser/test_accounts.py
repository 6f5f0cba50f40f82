"""Accounts and settings in a real browser: a name is kept, other tabs and devices follow, all without a mouse too."""

from __future__ import annotations

import itertools
import re

from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.browser.couples import connected
from tests.browser.layout import are_fit, is_fit
from tests.browser.lossy import Lossy
from tests.browser.rows import PASSWORD, Rows
from tests.browser.sharing import server as server
from tests.browser.test_play import a_match, a_page, at_match, insist, led_to, shows
from tests.kit.server import Server
from tests.kit.visiting import Visitor

_numbers = itertools.count(1)


def a_name() -> str:
    """Nobody else's on the server."""
    return f"Mira K {next(_numbers)}"


async def sign_up(page: Page, server: Server) -> str:
    """By the form, as people do; gives the name."""
    name = a_name()
    await page.goto(f"{server.address}/signup/")
    await page.fill("[name=name]", name)
    await page.fill("[name=password]", PASSWORD)
    await page.press("[name=password]", "Enter")
    await led_to(page, f"{server.address}/")
    return name


async def log_in(page: Page, server: Server, name: str) -> None:
    await page.goto(f"{server.address}/login/")
    await page.fill("[name=name]", name)
    await page.fill("[name=password]", PASSWORD)
    await page.press("[name=password]", "Enter")
    await led_to(page, f"{server.address}/")


async def another_tab(context: BrowserContext, address: str) -> Page:
    page = await context.new_page()
    await page.goto(address)
    return page


# -- the name ----------------------------------------------------------------------------------------------------------


async def test_a_guest_keeps_the_name_while_the_match_goes_on(browser: Browser, server: Server) -> None:
    page = await a_match(browser, server)
    offer = page.get_by_role("link", name="keep this name")
    await expect(offer).to_be_visible()
    other = await another_tab(page.context, f"{server.address}/signup/")
    name = await other.input_value("[name=name]")
    await expect(other.locator("main p").first).to_contain_text(f"Keep the name {name} and your 1 match")
    await other.fill("[name=password]", PASSWORD)
    await other.click("button:has-text('Save')")
    await led_to(other, f"{server.address}/")
    await expect(other.locator(".menu summary")).to_have_text(name)
    await page.reload()
    await expect(offer).to_be_hidden()
    await insist(page, 1, 4)
    await expect(offer).to_be_hidden()
    await other.goto(f"{server.address}/me/")
    await expect(other.locator("h1")).to_have_text(name)
    device = await a_page(browser, server, "")
    await log_in(device, server, name.upper())
    await device.goto(f"{server.address}/me/")
    assert device.url == other.url


async def test_a_page_that_connects_before_the_answer_to_the_signing_up_has_come_keeps_its_seat(
    browser: Browser, server: Server
) -> None:
    """Its cookie is of no session any more, and the new one is still on its way."""
    page, other = await a_match(browser, server), Visitor(server.port)
    line = await Lossy.between(page)
    await page.reload()
    await connected(page)
    other.cookies = {cookie["name"]: cookie["value"] for cookie in await page.context.cookies()}
    await other.get("/signup/")
    answer = await other.post("/signup/", name=a_name(), password=PASSWORD)
    assert answer.status == 302, answer.text
    await line.until(lambda: line.opened > 4)  # it comes again and again with a cookie of no session
    assert "logged out" not in await page.locator("#net").inner_text()
    line.once_more()
    async with page.expect_response("**/live/*"):
        pass  # and asked how the match stands, as nobody
    session = other.cookies["sessionid"]
    await page.context.add_cookies([{"name": "sessionid", "value": session, "url": server.address}])
    line.down = False
    await insist(page, 1, 4)


async def test_logging_out_in_one_tab_ends_the_match_page_in_the_other_even_before_that_is_connected(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page = await a_page(browser, server, "")
    await rows.log_in(server, page.context, a_name())
    await page.goto(server.address)
    await page.click("#col-4")
    await at_match(page)
    await shows(page, 2)
    other = await another_tab(page.context, f"{server.address}/")
    await other.click(".menu summary")
    await other.click("text=Log out")
    await expect(other.get_by_role("link", name="Log in")).to_be_visible()
    await expect(page.locator("#net")).to_have_text("You are logged out. Log in again")
    await page.click("#net a")
    await led_to(page, re.compile(r".*/login/\?next=/m/.*"))
    await rows.log_in(server, page.context, a_name())
    line = await Lossy.between(page)
    line.down = True
    await page.goto(server.address)
    await page.click("#col-4")
    await at_match(page)
    await other.reload()
    await other.click(".menu summary")
    await other.click("text=Log out")
    await expect(other.get_by_role("link", name="Log in")).to_be_visible()
    line.down = False
    await expect(page.locator("#net")).to_have_text("You are logged out. Log in again")


async def test_what_is_wrong_is_said_and_has_the_focus_and_a_password_can_be_read_while_it_is_typed(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "/signup/")
    await page.fill("[name=name]", "Mira <b>K</b>")
    await page.fill("[name=password]", "short")
    await page.click("main button.primary")
    await expect(page.locator("#errors")).to_be_focused()
    await expect(page.locator("#errors")).to_contain_text("not < (U+003C)")
    await expect(page.locator("#id_name")).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("#id_name")).to_have_value("Mira <b>K</b>")
    await is_fit(page, "signup-refused")
    await page.goto(f"{server.address}/login/")
    await page.fill("[name=password]", PASSWORD)
    show = page.locator("[data-show]")
    await show.click()
    await expect(page.locator("[name=password]")).to_have_attribute("type", "text")
    await expect(show).to_have_attribute("aria-pressed", "true")
    await show.click()
    await expect(page.locator("[name=password]")).to_have_attribute("type", "password")


# -- settings ----------------------------------------------------------------------------------------------------------


async def test_the_theme_follows_to_another_device(browser: Browser, server: Server, rows: Rows) -> None:
    page, device = [await a_page(browser, server, "") for _ in range(2)]
    name = a_name()
    await rows.log_in(server, page.context, name)
    await page.goto(server.address)
    async with page.expect_response("**/settings/one/"):
        await page.click("#theme")
    async with page.expect_response("**/settings/one/"):
        await page.click("#theme")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert await page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    await rows.log_in(server, device.context, name)
    await device.goto(server.address)
    await expect(device.locator("html")).to_have_attribute("data-theme", "dark")


async def test_a_page_from_the_back_forward_cache_has_what_was_chosen_meanwhile(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "/protocols/")
    await page.goto(f"{server.address}/settings/")
    await page.check("[name=theme][value=dark]")
    await page.check("[name=sound]")
    await page.click("button:has-text('Save')")
    await expect(page.locator("html")).to_have_attribute("data-sound", "on")
    await page.go_back()
    await page.go_back()
    await led_to(page, f"{server.address}/protocols/")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await expect(page.locator("html")).to_have_attribute("data-sound", "on")


async def test_everything_works_without_javascript(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "", java_script_enabled=False)
    await sign_up(page, server)
    await page.goto(f"{server.address}/settings/")
    await page.check("[name=view][value=above]")
    await page.uncheck("[name=keys]")
    await page.click("button:has-text('Save')")
    await expect(page.locator("html")).to_have_attribute("data-view", "above")
    await expect(page.locator("html")).to_have_attribute("data-keys", "off")
    await expect(page.get_by_role("status").first).to_have_text("Your settings are kept.")
    await page.click("#theme")
    await expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert page.url == f"{server.address}/settings/"
    await page.click(".menu summary")
    await page.click(".menu >> text=Log out")
    await expect(page.get_by_role("link", name="Log in")).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("data-theme", "light")


async def test_an_account_is_closed_by_the_keyboard_and_its_other_tab_and_the_way_back_show_nobody(
    browser: Browser, server: Server
) -> None:
    page = await a_match(browser, server)
    match = page.url
    other = await another_tab(page.context, f"{server.address}/healthz")
    name = await sign_up(other, server)
    await other.goto(f"{server.address}/settings/")
    await other.get_by_role("link", name="Close your account").focus()
    await other.keyboard.press("Enter")
    await led_to(other, f"{server.address}/settings/close/")
    await expect(other.locator("main li").nth(1)).to_have_text("You resign the match that you are playing.")
    await other.get_by_label("Password").focus()
    await other.keyboard.type(PASSWORD)
    await other.keyboard.press("Enter")
    await led_to(other, f"{server.address}/")
    await expect(other.get_by_role("status").first).to_have_text("Your account is closed. You are a new visitor now.")
    await other.go_back()
    await expect(other.get_by_role("link", name="Log in").first).to_be_visible()
    assert name not in await other.content()
    await page.goto(match)
    await expect(page.locator("main")).to_contain_text("Former player")
    assert name not in await page.content()


async def test_the_menu_is_worked_by_the_keyboard(browser: Browser, server: Server, rows: Rows) -> None:
    page = await a_page(browser, server, "")
    await rows.log_in(server, page.context, a_name())
    await page.goto(server.address)
    await page.locator(".menu summary").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="My profile")).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="My profile")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("link", name="My profile")).to_be_hidden()
    await expect(page.locator(".menu summary")).to_be_focused()


# -- how they look -----------------------------------------------------------------------------------------------------


async def test_the_pages_of_accounts_are_for_everybody(browser: Browser, server: Server, rows: Rows) -> None:
    page = await a_page(browser, server, "")
    await are_fit(page, server.address, ("/login/", "/signup/", "/login/code/", "/settings/"))
    await rows.log_in(server, page.context, "Mira K")
    forms = (f"/settings/{name}/" for name in ("name", "password", "webhooks", "close"))
    own = ("/settings/?own", *forms, "/me/")
    await are_fit(page, server.address, own)
    await page.click(".menu summary")
    # What an open menu covers cannot be pressed until it is closed, and how much it covers depends on the font.
    await page.evaluate("document.querySelector('main').style.visibility = 'hidden'")
    await is_fit(page, "menu")
