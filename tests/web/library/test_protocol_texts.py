"""What is written about the protocols : complete, true, and the same everywhere."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import pytest

from arena.match.endings import FAULTS, Termination
from arena.play import runner
from arena.protocols import folder_of, own_parts, protocol, protocols
from arena.protocols.native import grammar
from arena.web.library import protocol_texts
from arena.web.library.protocol_texts import FOLDER, ProtocolText, markdown, text_of
from tests.protocols.test_transcripts import byte_by_byte, glued, one_segment, play, read_transcript


def folder(slug: str) -> Path:
    found = folder_of(slug)
    assert found is not None
    return Path(found)


def conversation(slug: str) -> Path:
    return folder(slug) / "conversation.txt"


slugs = pytest.mark.parametrize("slug", protocols())


@slugs
@pytest.mark.parametrize("segments", [one_segment, byte_by_byte])
def test_the_conversation_is_what_the_adapter_says(slug: str, segments: object) -> None:
    play(protocol(slug)(), read_transcript(conversation(slug)), segments)  # type: ignore[arg-type]


@slugs
def test_the_conversation_is_understood_when_lines_come_glued(slug: str) -> None:
    play(protocol(slug)(), glued(read_transcript(conversation(slug))), one_segment)


@slugs
def test_the_file_in_docs_says_the_same(slug: str) -> None:
    there = (FOLDER / f"{slug}.md").read_text(encoding="utf-8")
    assert there == markdown(text_of(slug)), "run .venv/bin/python -m arena.web.library.protocol_texts"


@slugs
def test_every_part_is_there(slug: str) -> None:
    text = text_of(slug)
    assert text.lead and text.line_ends and text.connect and text.messages and text.traps and text.samples
    assert {line.sender for line in text.messages} == {"arena", "bot"}
    assert text.conversation.startswith("# ") and "\n> " in text.conversation and "\n< " in text.conversation


@slugs
def test_every_way_to_lose_by_a_fault_has_a_sentence_and_advice(slug: str) -> None:
    codes = {failure.code for failure in text_of(slug).failures}
    known = {*FAULTS - {Termination.LEFT}, Termination.TIMEOUT, Termination.NO_START, Termination.SERVER_ABORT}
    said = tomllib.loads(folder(slug).joinpath("page.toml").read_text(encoding="utf-8"))
    assert codes == {str(code) for code in known} - set(said.get("never", []))
    assert {failure["code"] for failure in said["failures"]} <= codes
    assert all(failure.when and failure.do for failure in text_of(slug).failures)


def test_the_grammar_of_native_is_that_of_its_adapter() -> None:
    messages = text_of("native").messages
    known = [(message.type, len(message.keys)) for message in (*grammar.FROM_BOT, *grammar.TO_BOT)]
    assert [(line.text, len(line.keys)) for line in messages] == known
    resign = next(line for line in messages if line.text == "resign")
    assert resign == ("bot", "resign", "Give the match up.", ())


def test_the_facts_are_those_of_the_adapter() -> None:
    assert dict(text_of("droidcon").facts) == {
        "Plays": "Connect Four 7x6",
        "Time": "30 s a move, unless the room says otherwise",
        "Ready": "within 20 s",
        "Rounds": "4 a connection",
    }
    assert dict(text_of("nyu-nim").facts)["Time"] == "2 min a match, unless the room says otherwise"
    assert dict(text_of("fiar").facts)["Ready"] == "at once: there is no greeting"
    assert dict(text_of("native").facts)["Plays"] == "every game"


def test_a_protocol_that_nobody_has_written_about_has_a_text_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(protocol_texts, "folder_of", lambda slug: tmp_path)
    text: ProtocolText = text_of("fiar")
    assert text.title == protocol("fiar").title and text.lead == "" and text.conversation == ""
    assert "## Samples" in markdown(text)


def test_an_unknown_protocol_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="unknown protocol 'fire'; known: .*fiar"):
        text_of("fire")


@pytest.mark.parametrize("slug", own_parts("runner"))
def test_the_page_says_how_the_drop_in_runner_is_called(slug: str) -> None:
    commands = [way.command for way in text_of(slug).connect]
    (words,) = (
        shlex.split(command.partition(" manage.py runner ")[2]) for command in commands if " runner " in command
    )
    options = runner.Options(words)
    assert (options.protocol, len(options.bots)) == (slug, 2)
