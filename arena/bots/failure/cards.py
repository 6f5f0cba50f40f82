"""What the author of a bot is told when it fails: one card, from one table of stable codes.

`docs/bot-errors.md` is generated from that table: `python -m arena.bots.failure.cards > docs/bot-errors.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Any, NamedTuple

from arena.bots.failure.errors import every_error
from arena.bots.failure.refusals import REFUSALS
from arena.common.logs import escaped
from arena.match.said import Said, said
from arena.protocols.hints import BotError

_INTRODUCTION = """\
# What a bot's author is told

Generated from `arena/bots/failure/errors.py` and the `hints.py` of each protocol by
`python -m arena.bots.failure.cards`: change it there.

Each failure has one card with a stable code. The card is shown on the page of the match and in the output of
`manage.py match` and `manage.py check_bot`. It also says what was received, the first byte of it that cannot belong to
an answer, what was expected, the board, the time used, how the process ended, and the last lines that it wrote to
standard error. `‹…›` stands for the details of the case.
"""


class FactLine(NamedTuple):
    """One fact on a card: its name, such as `received`, and its value."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """One failure. `facts` are only the known ones, in reading order."""

    code: str
    title: str
    sentence: str
    advice: str
    facts: tuple[FactLine, ...] = ()

    def lines(self) -> Iterator[str]:
        """The card as plain text; facts of several lines are indented. What a bot wrote has no effect on a terminal."""
        yield f"{self.title} [{self.code}]"
        yield escaped(self.sentence)
        for label, text in self.facts:
            yield f"{label}: " + "\n    ".join(escaped(line.expandtabs()) for line in text.split("\n"))
        yield escaped(f"advice: {self.advice}")

    def to_data(self) -> dict[str, object]:
        """The card as JSON; `words` are the values in its sentences, so that a page can translate them."""
        texts = {"code": self.code, "title": self.title, "sentence": self.sentence, "advice": self.advice}
        words = {**_words_of(self.sentence), **_words_of(self.advice)}
        return texts | {"facts": dict(self.facts), "words": words}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Card:
        """The card that `to_data` was given. Its text stays as it was written, even if the table has changed."""
        facts = tuple(FactLine(label, text) for label, text in data["facts"].items())
        sentence, advice = data["sentence"], data["advice"]
        if (error := _by_code().get(data["code"])) is not None:
            sentence, advice = (
                _again(template, data.get("words", {}), written)
                for template, written in ((error.sentence, sentence), (error.advice, advice))
            )
        return cls(data["code"], data["title"], sentence, advice, facts)


@cache
def _by_code() -> dict[str, BotError]:
    return {error.code: error for errors in every_error().values() for error in errors}


def _filled(template: str, words: Mapping[str, str]) -> Said:
    """Fill in a template. Raises KeyError for an unknown word."""
    return said(template, **{name: words[name] for _, name, _, _ in Formatter().parse(template) if name})


def _words_of(sentence: str) -> Mapping[str, Any]:
    return sentence.values if isinstance(sentence, Said) else {}


def _again(template: str, words: Mapping[str, str], written: str) -> str:
    """What was written, with its template and values if the table has not changed since."""
    try:
        made = _filled(template, words)
    except KeyError:
        return written
    return made if made == written else written


def make_card(code: str, words: Mapping[str, str], facts: tuple[FactLine, ...] = ()) -> Card:
    """The card of this code. Raises KeyError for an unknown code or word."""
    error = _by_code()[code]
    return Card(code, error.title, _filled(error.sentence, words), _filled(error.advice, words), facts)


def as_markdown() -> str:
    """The page about all codes."""
    parts = [_INTRODUCTION]
    for title, errors in {**every_error(), "Coming in": REFUSALS}.items():
        parts.append(f"## {title}\n")
        parts += map(_section, errors)
    return "\n".join(parts)


def _section(error: BotError) -> str:
    return f"### `{error.code}`: {error.title}\n\n{_shown(error.sentence)}\n\n*What to do:* {_shown(error.advice)}\n"


def _shown(template: str) -> str:
    return template.replace("{", "‹").replace("}", "›")


if __name__ == "__main__":
    print(as_markdown(), end="")
