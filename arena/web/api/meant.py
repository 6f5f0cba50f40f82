"""Values of a body about which the OpenAPI document says more than their type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import games
from arena.protocols import protocols
from games.players import LEVELS


class SchemaWords:
    """What the document says about a value besides its type, as keys of JSON Schema.

    They are made late, when games and protocols have been discovered. The code that reads the value checks it, and says
    in words what is wrong.
    """

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {**handler(core), **self._make()}


def _variants() -> dict[str, Any]:
    return {"enum": list(games.slugs())}


def _sides() -> dict[str, Any]:
    kinds = f"me|anyone|bot:.+|builtin:({'|'.join(LEVELS)})|socket:({'|'.join(protocols())})"
    return {"pattern": f"^({kinds})$"}


VariantSlug = Annotated[str, SchemaWords(_variants)]
SideText = Annotated[str, SchemaWords(_sides)]
ClockText = Annotated[str, SchemaWords(lambda: {"examples": ["none", "5s", "move:30s", "5m+3s"]})]
WhoEnters = Annotated[str, SchemaWords(lambda: {"pattern": f"^(me|bot:.+|builtin:({'|'.join(LEVELS)}))$"})]
Counted = Annotated[int, SchemaWords(lambda: {"minimum": 1})]
ReasonText = Annotated[str, SchemaWords(lambda: {"pattern": r"\S", "maxLength": 200})]
