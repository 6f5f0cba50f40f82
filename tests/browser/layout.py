"""What is measured of a page as it is laid out: what sticks out sideways, what is too small for a finger."""

from __future__ import annotations

from playwright.async_api import Page

OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > wide + 1)
    .map((each) => `${each.tagName} ${each.id} ${each.className}`);
}"""
# WCAG 2.5.8 leaves out links in a sentence; a field that is not seen is pressed by its label.
SMALL = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((each) => {
  const target = each.matches("input[type=radio], input[type=checkbox]") ? each.closest("label") ?? each : each;
  const box = target.getBoundingClientRect();
  if (!target.checkVisibility() || !box.width || each.closest(".vh, [hidden]") || each.type === "hidden") return false;
  if (each.matches("a") && getComputedStyle(each).display === "inline") return false;
  return box.width < 23.9 || box.height < 23.9;
}).map((each) => `${each.tagName} ${each.id} ${each.className} ${each.textContent.trim().slice(0, 30)}`)"""


async def overflow(page: Page) -> list[str]:
    """What makes the page scroll sideways; [] is what is wanted."""
    found: list[str] = await page.evaluate(OVERFLOW)
    return found


async def small_targets(page: Page) -> list[str]:
    """Everything to press that is smaller than 24 by 24 pixels and no link in a sentence."""
    found: list[str] = await page.evaluate(SMALL)
    return found
