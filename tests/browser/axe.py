"""What axe-core (tests/data/axe, MPL-2.0, version 4.14.1) says of a page as the browser has it now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Page

SOURCE = Path(__file__).parents[1] / "data/axe/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Rules that look at colours, and rules that look at where things are; all others look at what there is.
COLOURS = ("color-contrast", "link-in-text-block")
PLACES = ("target-size", "scrollable-region-focusable")
# The policy of our pages allows no script but their own: axe is evaluated by the browser's debugger. Without `preload`
# it puts no style sheets of its own into the page, which the policy would refuse as well.
RUN = """([tags, rules]) => rules && !rules.length ? [] : axe.run(document, {
    ...(rules ? {runOnly: {type: "rule", values: rules}}
      : {runOnly: {type: "tag", values: tags}, rules: {"target-size": {enabled: true}}}),
    resultTypes: ["violations"], preload: false})
  .then(found => found.violations.flatMap(({id, help, nodes}) =>
    nodes.map(node => `${id}: ${help}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`)))"""


async def violations(page: Page, rules: Sequence[str] | None = None) -> list[str]:
    """Every violation of WCAG 2.2 level AA that axe finds, one line each; [] is what is wanted. `rules`: only these."""
    if not await page.evaluate("typeof axe === 'object'"):
        await page.evaluate(SOURCE.read_text(encoding="utf-8"))
    found: list[str] = await page.evaluate(RUN, [TAGS, rules])
    return found
