"""Sentences that keep their template and values, for pages in the reader's language: `said("Column {column} is full.",
column=4)`. A value may be such a sentence; the template must be a literal in the source.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from games import RefusedMove


class Said(str):
    """An English sentence with its template and values; if it counts something, also with the plural template."""

    template: str
    many: str
    number: int
    values: Mapping[str, Any]


def said(template: str, /, **values: Any) -> Said:
    return _made(template, "", 0, values)


def said_of_many(one: str, many: str, count: int, /, **values: Any) -> Said:
    """Like `said`, with the template chosen by `count`."""
    return _made(one, many, count, values)


def _made(one: str, many: str, count: int, values: Mapping[str, Any]) -> Said:
    made = Said((one if not many or count == 1 else many).format(**values))
    made.template, made.many, made.number, made.values = one, many, count, values
    return made


def said_by_rules(why: RefusedMove) -> str:
    """The sentence with which the rules of a game refuse a move. Why a match is over is another sentence."""
    if not why.values:
        return str(why)
    values = {name: said(str(value)) if name == "reason" else value for name, value in why.values.items()}
    return said(why.template, **values)


def packed(sentence: str) -> Any:
    """The sentence as a list of JSON values, to be sent between processes."""
    if not isinstance(sentence, Said):
        return sentence
    values = {name: packed(value) if isinstance(value, str) else value for name, value in sentence.values.items()}
    return [sentence.template, sentence.many, sentence.number, values]


def unpacked(carried: Any) -> str:
    if isinstance(carried, str):
        return carried
    one, many, count, values = carried
    return _made(one, many, count, {name: unpacked(v) if isinstance(v, list) else v for name, v in values.items()})
