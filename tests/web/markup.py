"""Reads the HTML that the pages are made of, strictly: every element closed in order, every id once."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

VOID = {"input", "meta", "link", "img", "br"}


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.words: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> has an attribute twice: {attrs}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(html: str) -> list[Element]:
    """All elements in order."""
    return _read(html).elements


def words(html: str) -> str:
    """What is read of it, with single spaces and none before a point; the point of `./bot` begins a word."""
    return re.sub(r" (?=[.;:](?: |$))", "", " ".join(" ".join(_read(html).words).split()))


def buttons(html: str) -> list[dict[str, str]]:
    return [element.attributes for element in read(html) if element.tag == "button"]


def by_id(html: str, name: str) -> Element:
    return next(element for element in read(html) if element.attributes.get("id") == name)


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open, f"not closed: {reader.open}"
    ids = [element.attributes["id"] for element in reader.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids)), f"an id twice: {sorted(ids)}"
    return reader
