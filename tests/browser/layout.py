"""Whether a page is fit for everybody: what axe says of it, what sticks out, what is too small for a finger."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypedDict, Unpack
from zlib import crc32

from playwright.async_api import Page

from tests.browser.axe import COLOURS, PLACES, violations

WIDTHS = (1280, 768, 641, 390, 360, 320)
# A folder for pictures to be looked at; without it none are made.
PICTURES = os.environ.get("ARENA_TEST_PICTURES", "")
EVERY_LOOK = bool(PICTURES) or os.environ.get("ARENA_TEST_SAMPLE") == "all"
# Where `make soak ARGS=cases` asks axe: at the five widths that most people have in both themes, at two others in one.
Scheme = Literal["light", "dark"]
LOOKS: tuple[tuple[int, Scheme], ...] = (
    *((1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")),
    *((641, "dark"), (320, "dark"), (768, "light"), (360, "light")),
    *(((768, "dark"), (360, "dark"), (1920, "dark"), (1920, "light")) if EVERY_LOOK else ()),
)
# Where every run asks it, each page in one of them: most of what is wrong in one look is wrong in all.
USUAL: tuple[tuple[int, Scheme], ...] = ((1280, "light"), (390, "dark"))
# When the next frame has been drawn and nothing changes any more by itself: what ends may have set off the next, as a
# colour does that an element inherits. What goes on forever, or is held, is not waited for.
DRAWN = """async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const going = (each) => each.playState === "running" && each.effect.getComputedTiming().endTime !== Infinity;
  do {
    await drawn();
    await Promise.allSettled(document.getAnimations().filter(going).map((each) => each.finished));
  } while (document.getAnimations().some(going));
}"""
# So high that neither a bar at the bottom nor a passing word lies over what axe looks at.
HIGH = 4000
# For whether a width is enough: as high as a window, because each pixel is drawn. No style asks for more than 52 rem.
WINDOW = 900

OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > wide + 1)
    .map((each) => `${each.tagName} ${each.id} ${each.className}`);
}"""
# A card clips what is too wide in it, so that the page is no wider.
CLIPPED = """() => [...document.querySelectorAll("main :is(td, p, li)")]
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth)
  .map((each) => `${each.tagName} ${each.textContent.trim().slice(0, 30)}`)"""
# WCAG 2.5.8 leaves out links in a sentence; a field that is not seen is pressed by its label. On phones from 360 pixels
# on 40 are asked for, but of what stands among words: there a link is padded as far as its line allows.
SMALL = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((each) => {
  const target = each.matches("input[type=radio], input[type=checkbox]") ? each.closest("label") ?? each : each;
  const box = target.getBoundingClientRect();
  if (!target.checkVisibility() || !box.width || each.closest(".vh, [hidden]") || each.type === "hidden") return false;
  const { display } = getComputedStyle(each);
  if (each.matches("a") && display === "inline") return false;
  const least = innerWidth < 360 || innerWidth > 400 || each.matches("a") && display === "inline-block" ? 23.9 : 39.5;
  return box.width < least || box.height < least;
}).map((each) => `${each.tagName} ${each.id} ${each.className} ${each.textContent.trim().slice(0, 30)}`)"""
# Fields around which Safari enlarges the page of a phone, because their letters are small.
FINE = """() => innerWidth > 400 ? [] : [...document.querySelectorAll("input, select, textarea")].filter((each) =>
  !each.matches("[type=radio], [type=checkbox], [type=hidden]") && parseFloat(getComputedStyle(each).fontSize) < 16
).map((each) => `${each.tagName} ${each.id} ${getComputedStyle(each).fontSize}`)"""

# Three sums: of what there is and what of it is shown; of its colours, of how large its words are for WCAG 1.4.3 (24
# px, or bold and 18.66), and of what may lie on something else; of where everything is, and of what can be scrolled.
SIGHT = """() => {
  const sum = (text) => {
    let all = 7;
    for (let n = 0; n < text.length; n++) all = all * 31 + text.charCodeAt(n) | 0;
    return all;
  };
  const names = ["color", "backgroundColor", "backgroundImage", "opacity", "position"];
  const isLarge = ({ fontSize, fontWeight }) => parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
  const all = [...document.body.querySelectorAll("*")];
  const shown = all.filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const colours = shown.map((each) => getComputedStyle(each)).map((style) =>
    [isLarge(style), ...names.map((name) => style[name])].join());
  const places = shown.map((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left, top, width, height, each.scrollWidth, each.scrollHeight];
  });
  const there = document.body.innerHTML + shown.map((each) => all.indexOf(each));
  return [there, colours.join(), `at ${places.join()}`].map(sum);
}"""


class Options(TypedDict, total=False):
    """Those of `is_fit`."""

    in_sentences: bool
    in_cards: bool
    looks: Sequence[tuple[int, Scheme]]


async def overflow(page: Page) -> list[str]:
    """What makes the page scroll sideways; [] is what is wanted."""
    found: list[str] = await page.evaluate(OVERFLOW)
    return found


async def small_targets(page: Page) -> list[str]:
    """Everything to press that is smaller than 24 by 24 pixels, on phones 40 by 40, and no link in a sentence."""
    found: list[str] = await page.evaluate(SMALL)
    return found


async def is_fit(
    page: Page,
    name: str,
    *,
    in_sentences: bool = False,
    in_cards: bool = False,
    looks: Sequence[tuple[int, Scheme]] = LOOKS,
    every_look: bool = EVERY_LOOK,
) -> None:
    """On every width nothing sticks out, everything can be pressed, and no letters of a field are too small for phones;
    axe finds nothing in a usual look, or in all looks where `every_look` is asked for.

    `in_sentences`: what can be pressed are links in sentences and lists, of which axe asks for the space between them.

    `in_cards`: sentences, lists and tables are not cut off either.

    The page is laid out anew, not loaded anew: what depends on width and theme is in its style sheets.
    """
    checks = [OVERFLOW, FINE, *([] if in_sentences else [SMALL]), *([CLIPPED] if in_cards else [])]
    seen = set[int]() if every_look else None
    fits: set[int] = set()
    for width, scheme in looks:
        is_asked = every_look or (width, scheme) == usual(name)
        if width in fits and not is_asked:
            continue
        found = await _looked_at(page, width, scheme if is_asked else None, [] if width in fits else checks)
        assert not found, f"{name} at {width}: {found}"
        fits.add(width)
        if is_asked:
            await _finds_nothing(page, name, width, scheme, seen)


async def are_fit(page: Page, address: str, paths: Iterable[str], **options: Unpack[Options]) -> None:
    """Each of these pages is fit, and in German too: every second one in one of the usual looks, all in every look
    where those are asked for. Which ones and which look depend on the path alone. The page ends in English.
    """
    for path in paths:
        chance = crc32(path.encode())
        if EVERY_LOOK or chance % 2:
            await page.set_extra_http_headers({"Accept-Language": "de"})
            await page.goto(address + path)
            assert await page.evaluate("document.documentElement.lang") == "de", path
            looks = options.get("looks", LOOKS) if EVERY_LOOK else (USUAL[chance // 2 % 2],)
            german: Options = {**options, "looks": looks}
            await is_fit(page, f"{path} in German", **german)
            await page.set_extra_http_headers({})
        await page.goto(address + path)
        await is_fit(page, path, **options)


async def is_readable(page: Page, name: str, looks: Sequence[tuple[int, Scheme]] = LOOKS) -> None:
    """In none of these looks axe finds anything, or not in a usual one."""
    seen = set[int]() if EVERY_LOOK else None
    for width, scheme in looks if EVERY_LOOK else (usual(name),):
        await _looked_at(page, width, scheme, [])
        await _finds_nothing(page, name, width, scheme, seen)


def usual(name: str) -> tuple[int, Scheme]:
    """The look in which axe is asked about the page by every run: always the same one of a page."""
    return USUAL[crc32(name.encode()) % len(USUAL)]


async def _looked_at(page: Page, width: int, scheme: Scheme | None, checks: Sequence[str]) -> list[str]:
    """What these checks find when it has been drawn so; a theme that the page has is not set again, which draws it.

    `scheme`: None where axe is not asked. A theme is colours and nothing else (tests/web/test_tokens.py), so any will
    do then.
    """
    if scheme and not await page.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches"):
        await page.emulate_media(color_scheme=scheme)
    await page.set_viewport_size({"width": width, "height": HIGH if scheme else WINDOW})
    all_of_them = ", ".join(f"...({check})()" for check in checks)
    found: list[str] = await page.evaluate(f"async () => {{ await ({DRAWN})(); return [{all_of_them}]; }}")
    return found


async def _finds_nothing(page: Page, name: str, width: int, scheme: Scheme, seen: set[int] | None) -> None:
    """`seen`: what earlier looks have shown, None if there is one look only."""
    found = await violations(page, None if seen is None else unseen(await page.evaluate(SIGHT), seen))
    assert not found, f"{name} at {width}, {scheme}: {found}"
    await picture(page, f"{name}-{width}-{scheme}")


def unseen(sums: tuple[int, int, int], seen: set[int]) -> Sequence[str] | None:
    """The rules to ask axe for, None for all: what an earlier look has shown is not asked again."""
    there, colours, places = sums
    new = set(sums) - seen
    seen |= new
    return None if there in new else (*(PLACES if places in new else ()), *(COLOURS if colours in new else ()))


async def resized(page: Page, width: int, height: int) -> None:
    """Until it is laid out so: scripts that follow the size run with a frame."""
    await page.set_viewport_size({"width": width, "height": height})
    await page.evaluate(DRAWN)


async def picture(page: Page, name: str) -> None:
    """A picture to be looked at, where a folder for them is named."""
    if PICTURES:
        await page.screenshot(path=Path(PICTURES, f"{name.strip('/').replace('/', '-')}.png"), full_page=True)
