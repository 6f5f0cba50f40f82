"""The table says what the adapter does: every message that the transcripts show is in it, key by key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.protocols.facts import Message
from arena.protocols.native.grammar import FROM_BOT, TO_BOT, VERSION

TRANSCRIPTS = sorted((Path(__file__).parents[1] / "transcripts").glob("native.*.txt"))


def shown(path: Path) -> list[dict[str, object]]:
    """What the bot receives in this transcript."""
    lines = re.findall(r"^< (.*)$", path.read_text(), re.MULTILINE)
    return [json.loads(line.replace("\\\\", "\\")) for line in lines]


def test_every_message_that_a_bot_receives_has_the_keys_of_the_table_in_order() -> None:
    keys = {message.type: ["type", *(key.name for key in message.keys)] for message in TO_BOT}
    for path in TRANSCRIPTS:
        for message in shown(path):
            assert list(message) == keys[str(message["type"])], path.name


def test_every_message_of_the_table_is_shown_by_a_transcript() -> None:
    received = {message["type"] for path in TRANSCRIPTS for message in shown(path)}
    assert received == {message.type for message in TO_BOT}
    text = "".join(path.read_text() for path in TRANSCRIPTS)
    sent = set(re.findall(r'^>=? ?\{"type":"(\w+)"', text, re.MULTILINE))
    assert {message.type for message in FROM_BOT} <= sent


@pytest.mark.parametrize("message", FROM_BOT + TO_BOT, ids=lambda message: message.type)
def test_every_message_and_key_has_words(message: Message) -> None:
    assert message.words.endswith(".")
    assert all(key.words and key.kind for key in message.keys)
    assert len({key.name for key in message.keys} | {"type"}) == len(message.keys) + 1


def test_a_bot_says_texts_numbers_and_truths_only() -> None:
    assert {key.kind for message in FROM_BOT for key in message.keys} == {"text", "number", "true or false"}


def test_the_version_is_the_one_of_the_documents() -> None:
    assert VERSION == 1
