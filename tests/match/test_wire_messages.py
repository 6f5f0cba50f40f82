"""Tokens are masked, also those that come in pieces, and nothing else is."""

from __future__ import annotations

import pytest

from arena.match.wire_messages import NOTHING_BEGUN, Message, masked, without_tokens


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (("SEAT arn_AbC123\nNAME x\n",), ("SEAT arn_…\nNAME x\n",)),
        (("SEAT  secret\r\n",), ("SEAT  …\r\n",)),
        (('{"type": "hello", "token" : "secret"}\n',), ('{"type": "hello", "token" : "…"}\n',)),
        (("SEAT arn_Ab", "C123\nNAME x\n"), ("SEAT arn_…", "…\nNAME x\n")),
        (("arn_Ab", "C1 x\n"), ("arn_…", "… x\n")),
        (("SEA", "T secret\n"), ("SEA", "T …\n")),
        (("PUT 3\n", "PUT 4\n"), ("PUT 3\n", "PUT 4\n")),
        (("BESEAT 3\n",), ("BESEAT 3\n",)),
        (("SEAT REFUSED unknown_token: Nobody has it.\n",), ("SEAT REFUSED unknown_token: Nobody has it.\n",)),
    ],
)
def test_tokens_are_masked_also_in_pieces(parts: tuple[str, ...], shown: tuple[str, ...]) -> None:
    messages: list[Message] = [(0.5, "in", part.encode(), 3) for part in parts]
    found, _ = without_tokens(messages)
    assert [(at, way, data.decode(), ply) for at, way, data, ply in found] == [(0.5, "in", each, 3) for each in shown]
    begun, singly = NOTHING_BEGUN, list[Message]()
    for message in messages:
        found, begun = without_tokens([message], begun)
        singly += found
    assert [data.decode() for _, _, data, _ in singly] == list(shown)
    assert masked(parts[0].encode()).decode() == shown[0]


def test_a_token_goes_on_only_in_the_same_direction() -> None:
    found, _ = without_tokens([(0.0, "in", b"SEAT ", 0), (0.0, "out", b"secret\n", 0), (0.0, "in", b"mine\n", 0)])
    assert [data for _, _, data, _ in found] == [b"SEAT ", b"secret\n", "…\n".encode()]
