"""A person at a page without a browser: they press one of its buttons, and so send the form that it is in."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, Protocol

from django.test import Client

from tests.kit.browsing import Answer


class Page(Answer, Protocol):
    """What the test client received."""

    @property
    def status_code(self) -> int: ...

    @property
    def request(self) -> dict[str, Any]: ...


class _Forms(HTMLParser):
    """The fields of each form, and the words and values of its buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.buttons: dict[str, tuple[int, str, str]] = {}
        self._button: tuple[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        name, value = said.get("name", ""), said.get("value", "")
        if tag == "form":
            self.forms.append((said.get("action", ""), {}))
        elif tag == "button":
            self._button = name, value
        elif tag == "input" and said.get("type") == "submit":
            self._add(value, name, value)
        elif tag == "input" and self.forms and said.get("type") == "hidden":
            self.forms[-1][1][name] = value

    def handle_data(self, data: str) -> None:
        if self._button is not None and data.strip():
            self._add(" ".join(data.split()), *self._button)
            self._button = None

    def _add(self, words: str, name: str, value: str) -> None:
        if self.forms:
            self.buttons[words] = len(self.forms) - 1, name, value


def buttons(page: Page) -> list[str]:
    """The labels of its buttons."""
    return list(_read(page).buttons)


def press(client: Client, page: Page, words: str, **filled: str) -> Page:
    """Press this button with these fields filled in; returns the answer."""
    read = _read(page)
    number, name, value = read.buttons[words]
    action, hidden = read.forms[number]
    said = {**hidden, **filled, **({name: value} if name else {})}
    return client.post(action or page.request["PATH_INFO"], said, follow=True)


def _read(page: Page) -> _Forms:
    read = _Forms()
    read.feed(page.content.decode())
    return read
