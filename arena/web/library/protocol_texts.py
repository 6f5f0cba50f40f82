"""The texts about each protocol: one source for its page and for the file in docs/.

In the protocol's folder `page.toml` holds the sentences and `conversation.txt` a match that the tests play against the
adapter; `docs/protocols/failures.toml` is common to all. An adapter that works by tables of messages shows those.

    python -m arena.web.library.protocol_texts      rewrites docs/protocols/<slug>.md
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import games
from arena import paths
from arena.match.clock import parse_clock
from arena.match.said import said
from arena.protocols import folder_of, protocol, protocols
from arena.protocols.adapter import Ready
from arena.protocols.facts import Message
from arena.protocols.machine import Machine, diagram, stays

FOLDER = paths.FILES / "docs" / "protocols"
BRIDGE = paths.FILES / "static" / "samples" / "arena-bridge.py"
MACHINE = (
    "Drawn from the table that the arena itself works by. Beside each arrow stands what happens and, behind the slash, "
    "what is done then; `ANY` is every state but `closed` that says nothing else."
)
STAYS = "What leaves the conversation where it is; whatever is in neither has no effect in that state."
THOUGHTS = (
    "A bot need not say what it thinks. What it writes to its standard error is no part of the protocol: it is kept "
    "with its log, and no line of it is wrong.",
    "A line there such as `#eval 0.3 #pv 4 4 3 #say The middle is mine.` is shown beside the board, at the move for "
    "which it was said, to those who may read the log of the bot: the last such line of each turn. Any part may be "
    "left out.",
    "`#eval` is a number on a scale of your own, larger where the position is better for the bot. `#pv` are the moves "
    "that it expects, 20 at most, written as in the log of a match and in `native`. `#say` are words, 200 letters at "
    "most. Of a line the first 1000 bytes are read; what is not understood is not shown.",
    "Say it before your move, and flush. It is seen of programs that the arena starts, on its own machine or by a "
    "worker on another one: `arena-bridge.py` leaves standard error on your screen.",
)
LANGUAGES = {"py": "Python", "c": "C", "js": "JavaScript"}


class Connect(NamedTuple):
    """A way to connect: `command` has placeholders for {host} and {port}."""

    where: str
    command: str


class MessageText(NamedTuple):
    """A message of the protocol, what it means, and a sentence for each of its keys. `sender` is `arena` or `bot`."""

    sender: str
    text: str
    means: str
    keys: tuple[str, ...] = ()


class Error(NamedTuple):
    """The protocol's own word for a refusal."""

    name: str
    when: str


class FailureText(NamedTuple):
    """Why a match ends by the bot's fault: a stable code, when it happens, what to do."""

    code: str
    when: str
    do: str


class SampleProgram(NamedTuple):
    """`name` is the name under which the file is served: in its folder each is called `bot`."""

    language: str
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class ProtocolText:
    """All texts about a protocol. In sentences, text between backticks is code."""

    slug: str
    title: str
    facts: tuple[tuple[str, str], ...]
    lead: str
    line_ends: str
    connect: tuple[Connect, ...]
    messages: tuple[MessageText, ...]
    errors: tuple[Error, ...]
    traps: tuple[str, ...]
    failures: tuple[FailureText, ...]
    conversation: str
    machine: Machine
    samples: tuple[SampleProgram, ...]


def text_of(slug: str) -> ProtocolText:
    """The text of a protocol. Raises KeyError naming the known ones."""
    adapter = protocol(slug)
    written = _read(_own(slug, "page.toml"))
    return ProtocolText(
        slug=slug,
        title=adapter.title,
        facts=tuple(_facts(slug)),
        lead=written.get("lead", ""),
        line_ends=written.get("line_ends", ""),
        connect=tuple(Connect(**way) for way in written.get("connect", [])),
        messages=tuple(_messages(slug, written)),
        errors=tuple(Error(**error) for error in written.get("errors", [])),
        traps=tuple(trap["text"] for trap in written.get("traps", [])),
        failures=tuple(_failures(written)),
        conversation=_conversation(slug),
        machine=adapter.machine,
        samples=tuple(samples_of(slug)),
    )


def samples_of(slug: str) -> Iterator[SampleProgram]:
    """The existing sample bots."""
    for ending, language in LANGUAGES.items():
        path = _own(slug, f"bot.{ending}")
        if path.exists():
            yield SampleProgram(language, path, f"{path.parent.name}_{path.name}")


def sample_files() -> dict[str, Path]:
    """Every file to start from, by the name under which it is served."""
    return {BRIDGE.name: BRIDGE} | {sample.name: sample.path for slug in protocols() for sample in samples_of(slug)}


def plays(slug: str) -> str:
    """`Connect Four 7×6`, or every game."""
    titles = [games.variant(variant).title for variant in protocol(slug).variants]
    return ", ".join(titles) or said("every game")


def _own(slug: str, name: str) -> Path:
    """A file in the protocol's folder, which need not exist."""
    folder = folder_of(slug)
    assert folder is not None, "who asks has looked the protocol up"
    return Path(folder, name)


def _read(path: Path) -> dict[str, Any]:
    """The contents of the file; empty if there is none, so that a new protocol has a page at once."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _facts(slug: str) -> Iterator[tuple[str, str]]:
    adapter = protocol(slug)
    greets = not any(isinstance(event, Ready) for event in adapter().events_received())
    yield said("Plays"), plays(slug)
    yield said("Time"), _time(adapter.clock)
    within = said("within {seconds} s", seconds=f"{adapter.ready_s:g}")
    yield said("Ready"), within if greets else said("at once: there is no greeting")
    rounds = said("{number} a connection", number=adapter.rounds) if adapter.rounds else said("as many as the room has")
    yield said("Rounds"), rounds


def _time(text: str) -> str:
    clock = parse_clock(text)
    if clock.kind == "none":
        return said("as the room says")
    if clock.kind == "move":
        return said("{seconds} s a move, unless the room says otherwise", seconds=f"{clock.base_ms / 1000:g}")
    return said("{minutes} min a match, unless the room says otherwise", minutes=f"{clock.base_ms / 60_000:g}")


def _messages(slug: str, written: dict[str, Any]) -> Iterator[MessageText]:
    for message in written.get("messages", []):
        yield MessageText(message["from"], message["text"], message["means"])
    for sender, messages in protocol(slug).grammar:
        yield from (MessageText(sender, message.type, message.words, _keys(message)) for message in messages)


def _keys(message: Message) -> tuple[str, ...]:
    return tuple(
        f"`{key.name}`: {key.kind}{'' if key.needed else ', may be left out'}; {key.words}" for key in message.keys
    )


def _failures(written: dict[str, Any]) -> Iterator[FailureText]:
    own = {failure["code"]: failure for failure in written.get("failures", [])}
    for failure in _read(FOLDER / "failures.toml")["failures"]:
        if failure["code"] not in written.get("never", []):
            yield FailureText(**(failure | own.get(failure["code"], {})))


def _conversation(slug: str) -> str:
    """The lines on the wire; the rest of a transcript is for the tests."""
    path = _own(slug, "conversation.txt")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return "\n".join(line[0] + line[1:].removeprefix("=") for line in lines if line[0] in "<>#")


# -- as Markdown -------------------------------------------------------------------------------------------------------


def markdown(text: ProtocolText) -> str:
    """The file in docs/, for the default door."""
    port = protocol(text.slug).port
    parts = [
        f"# {text.title}",
        f"Written by `python -m arena.web.library.protocol_texts` from the files in `{_place(text.slug)}`.",
        f"{text.lead} {text.line_ends}",
        "\n".join(f"- {name}: {value}" for name, value in (("Protocol", f"`{text.slug}`"), *text.facts)),
        "## Connect",
        *(f"{way.where}:\n\n    {way.command.format(host='HOST', port=port)}" for way in text.connect),
        "## Messages",
        _table(("from", "message", "meaning"), [_row(line) for line in text.messages]),
        "## A conversation",
        f"`>` comes from the bot, `<` from the arena.\n\n```\n{text.conversation}\n```",
    ]
    if text.machine:
        parts += ["## The machine", MACHINE, f"```mermaid\n{diagram(text.machine)}\n```"]
        parts += [STAYS, _table(("event", "what is done", "in the states"), [*stays(text.machine)])]
    if text.errors:
        parts += ["## Errors", _table(("error", "when"), [(f"`{error.name}`", error.when) for error in text.errors])]
    parts += ["## Traps", "\n".join(f"- {trap}" for trap in text.traps)]
    parts += ["## What it thinks", *THOUGHTS]
    failures = [(f"`{failure.code}`", failure.when, failure.do) for failure in text.failures]
    parts += ["## When it is the bot's fault", _table(("code", "when", "what to do"), failures)]
    parts += ["The card of a failure is more exact: [all codes](../bot-errors.md)."]
    samples = [f"- [{each.name}](../../{_place(text.slug)}{each.path.name})" for each in text.samples]
    return "\n\n".join([*parts, "## Samples", "\n".join(samples)]) + "\n"


def _place(slug: str) -> str:
    return f"arena/protocols/{_own(slug, '').name}/"


def _row(line: MessageText) -> tuple[str, ...]:
    return line.sender, f"`{line.text}`", "<br>".join([line.means, *line.keys])


def _table(names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [names, tuple("---" for _ in names), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def write_all() -> None:
    for slug in protocols():
        (FOLDER / f"{slug}.md").write_text(markdown(text_of(slug)), encoding="utf-8")


if __name__ == "__main__":
    write_all()
