"""What the author of a bot copies: the address, the lines to send, the commands to run, by protocol and language."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.common.limits import HERE
from arena.protocols import protocol
from arena.protocols.adapter import Ready
from arena.web.host_names import is_asked_here
from arena.web.library.protocol_texts import BRIDGE, LANGUAGES, samples_of

ANY = "any"
RUN = {"py": "python3 {file}", "js": "node {file}", "c": "./{stem}"}
# A placeholder for the program of an author who knows best how to start it.
OWN = "./my-bot"
# An example of a port that is free on most machines.
A_FREE_PORT = 50008
# A word with a hyphen, after which a browser would break the line; an option with the word after it.
_ONE = re.compile(r"(?<!\S)--\S* \S+|\S*-\S*")


class Address(NamedTuple):
    """The address of a seat. `code` is its room's, `site` the address of these pages, `door` the public port of its
    protocol, 0 if there is none.
    """

    host: str
    port: int
    code: str
    site: str
    door: int = 0


class Snippet(NamedTuple):
    """Something to copy, and what to do with it."""

    words: str
    text: str

    @property
    def shown(self) -> SafeString:
        return whole_words(self.text)


class Tab(NamedTuple):
    name: str
    title: str
    current: bool


def whole_words(command: str) -> SafeString:
    """`command` as HTML, whose lines are broken between words alone: with a `--` at its end one reads otherwise."""
    return SafeString(_ONE.sub(r"<span>\g<0></span>", conditional_escape(command)))


def host_of(request: HttpRequest) -> str:
    """The host that bots connect to, as programs take it: an address of IPv6 without its brackets."""
    return settings.ARENA_PUBLIC_HOST or urlsplit(f"//{request.get_host()}").hostname or ""


def why_refused(request: HttpRequest, bots_host: str) -> SafeString:
    """Why a bot that connects to `host_of` is refused, as HTML: this page was opened from another machine, and the
    ports for bots are open to this machine only. "" if they are open to others.
    """
    if is_asked_here(request) or settings.ARENA_PUBLIC_HOST or bots_host not in HERE:
        return SafeString("")
    return whole_words(_("Bots of other machines are refused: for them, start Arena with --bots-host 0.0.0.0."))


def tabs(slug: str, chosen: str) -> list[Tab]:
    """The languages with a sample, after one for any language."""
    there = {sample.path.suffix[1:] for sample in samples_of(slug)}
    names = [ANY, *(ending for ending in LANGUAGES if ending in there)]
    current = chosen if chosen in names else ANY
    return [Tab(name, LANGUAGES.get(name) or _("Any language"), name == current) for name in names]


def snippets(slug: str, language: str, address: Address) -> list[Snippet]:
    """What to copy for this protocol in this language, in order."""
    if language in RUN:
        return _sample(slug, language, address)
    if is_program(slug):
        return _program(address)
    return _socket(slug, address)


def is_program(slug: str) -> bool:
    """Whether bots of this protocol read their input and print their moves."""
    return not protocol(slug).arguments


def listen_of(slug: str) -> int | None:
    """A port on which the bridge can listen for a bot of this protocol; None if such bots open no socket."""
    return None if is_program(slug) else next(iter(protocol(slug).known_ports), A_FREE_PORT)


def lines_of(slug: str, code: str, name: str = "") -> tuple[str, ...]:
    """The first lines of a bot in this protocol; none if it is greeted or simply asked."""
    said = name or "my-bot"
    return tuple(line.replace("{code}", code).replace("{name}", said) for line in protocol(slug).join_lines)


def _socket(slug: str, address: Address) -> list[Snippet]:
    lines = lines_of(slug, address.code)
    where = f"host  {address.host}\nport  {address.port}"
    if lines:
        return [
            Snippet(_("Point your bot at this address and send the two lines below:"), where),
            Snippet(_at_the_door(address), "\n".join(lines)),
        ]
    waits = any(isinstance(event, Ready) for event in protocol(slug)().events_received())
    if waits:
        words = _("Let your bot connect to this address. It says nothing first: it is asked.")
    else:
        words = _("Let your bot connect to this address. It is greeted.")
    found = [Snippet(words, where)]
    for known in protocol(slug).known_ports:
        words = _(
            "A bot that only connects to its own machine comes in over the bridge; then start it with the port {port}:"
        )
        found.append(Snippet(words.format(port=known), _bridge(address, f"--listen {known}")))
    return found


def _at_the_door(address: Address) -> str:
    words = _("With these lines it can also connect to the public port {port}:")
    return words.format(port=address.door) if address.door else ""


def _program(address: Address, command: str = OWN) -> list[Snippet]:
    return [
        Snippet(_("Your bot reads its input and prints its moves: the bridge carries it here."), _download(address)),
        Snippet(_("Start it with your own command in the last place:"), _bridge(address, f"-- {command}")),
    ]


def _sample(slug: str, language: str, address: Address) -> list[Snippet]:
    file = next(sample.name for sample in samples_of(slug) if sample.path.suffix == f".{language}")
    stem = file.partition(".")[0]
    command = RUN[language].format(file=file, stem=stem)
    files = [BRIDGE.name, file] if is_program(slug) else [file]
    get = "\n".join(f"curl -O {address.site}/samples/{name}" for name in files)
    if language == "c":
        get += f"\ncc -std=c99 -O2 -o {stem} {file}"
    if is_program(slug):
        run = _bridge(address, f"-- {command}")
    else:
        said = " ".join(protocol(slug).arguments)
        run = f"{command} {said}".format(code=address.code, host=address.host, port=address.port)
    return [
        Snippet(_("Get the sample bot, short and free to change:"), get),
        Snippet(_("Run it:"), run),
    ]


def _download(address: Address) -> str:
    return f"curl -O {address.site}/samples/arena-bridge.py"


def _bridge(address: Address, rest: str) -> str:
    return f"python3 arena-bridge.py {address.host} {address.port} {rest}"
