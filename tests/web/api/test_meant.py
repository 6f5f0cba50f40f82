from __future__ import annotations

import re

import games
from arena.web.api.openapi import document
from arena.web.api.routes import ROUTES, VERSION
from arena.web.room.form import choice_of


def test_bodies_say_which_values_can_be_meant_and_take_no_other_key() -> None:
    schemas = document(ROUTES, VERSION)["components"]["schemas"]
    room, again = schemas["OpenRoom"]["properties"], schemas["PlayAgain"]["properties"]
    assert room["variant"]["enum"] == [each.slug for each in games.variants()]
    for side in ("me", "anyone", "bot:gravity-9", "builtin:club", "socket:droidcon", "", "nobody", "builtin:", "bot:"):
        meant = side.startswith("bot:g") or choice_of(side) is not None
        assert bool(re.search(room["first"]["pattern"], side)) == meant, side
    assert again["round"]["minimum"] == 1 and not re.search(again["reason"]["pattern"], " ")
    bodies = [schemas[name] for name in ("OpenRoom", "Enter", "Leave", "NothingMore", "PlayAgain", "Award")]
    assert [body["additionalProperties"] for body in bodies] == [False] * 6
