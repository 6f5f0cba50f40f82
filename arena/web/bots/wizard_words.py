"""What the arena hears of a bot that comes in, in words: one line for each thing heard, as the wizard shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from arena.bots.seats.hearing import Heard

Params = Mapping[str, str]


class WizardStep(NamedTuple):
    """One line. `state`: "done", "now" (this is where it stands) or "bad" (something has to be done).

    `switch` are protocols that the bot may speak instead. `action` is what else can be done: "other" (somebody else
    shall play), "again" (open the address again), "wire" (see all that was said). `key` names what was heard, so that
    nothing is said twice.
    """

    key: str
    title: str
    words: SafeString
    state: str
    switch: tuple[str, ...] = ()
    action: str = ""


def steps(heard: Sequence[Heard], host: str, other_free: bool) -> list[WizardStep]:
    """What was heard, oldest first. `other_free`: nobody sits on the other side yet."""
    told = [_step(each, host, other_free) for each in heard]
    if len(heard) == 1 and heard[0].code == "open":
        told.append(_nothing_yet(heard[0]))
    last = len(told) - 1
    return [step._replace(state=_state(step, n == last)) for n, step in enumerate(told)]


def _state(step: WizardStep, is_last: bool) -> str:
    if step.state == "bad":
        return "bad" if is_last else "past"
    return "now" if is_last and step.state != "ready" else "done"


def _step(heard: Heard, host: str, other_free: bool) -> WizardStep:
    params = {"host": host, **heard.params}
    key = str(heard.n)
    title, words, state = WORDS.get(heard.code, _unknown)(params, heard.at)
    switch = tuple(params.get("slugs", "").split())
    if heard.code == "ready" and other_free:
        words, action = _joined(params, mark_safe("Built-in Club takes the other seat in 5 s.")), "other"
    else:
        action = {"expired": "again", "stopped": "wire"}.get(heard.code, "")
    return WizardStep(key, title, words, state, switch, action)


def _nothing_yet(opened: Heard) -> WizardStep:
    words = format_html(
        "Nothing has connected to port {} yet. Free until {} UTC.",
        opened.params.get("port"),
        opened.params.get("until"),
    )
    return WizardStep("waiting", "Waiting for your bot …", words, "now")


Words = tuple[str, SafeString, str]


def _open(params: Params, at: datetime) -> Words:
    if params.get("join"):
        return "Room is open", format_html("Port {}, channel {}", params.get("port"), _code(params["join"])), "done"
    return "Room is open", format_html("Port {}", params.get("port")), "done"


def _still_waiting(params: Params, at: datetime) -> Words:
    words = format_html(
        "Firewall? Try <code>nc -v {} {}</code> from the bot's machine.", params["host"], params.get("port")
    )
    return "Still waiting", words, "bad"


def _connected(params: Params, at: datetime) -> Words:
    """How long ago changes all the time, so it is not read aloud again."""
    since = max(0, round((datetime.now(UTC) - at).total_seconds()))
    words = format_html(
        'from {}<span aria-hidden="true" data-at="{}">, {}</span>',
        params.get("address"),
        round(at.timestamp() * 1000),
        "1 second ago" if since == 1 else f"{since} seconds ago",
    )
    return "Connected", words, "done"


def _silent(params: Params, at: datetime) -> Words:
    words = mark_safe(
        "Your bot has sent nothing. Is its output flushed? In Python: <code>print(..., flush=True)</code>."
    )
    return "Connected, but silent", words, "bad"


def _first_line(params: Params, at: datetime) -> Words:
    return "First line received", format_html("<code>{}</code>", params.get("line")), "done"


def _needs_join(params: Params, at: datetime) -> Words:
    words = format_html(
        "We answered <code>{}</code>. Send <code>JOIN {}</code>.", params.get("answered"), _code(params.get("join"))
    )
    return "Waiting for JOIN", words, "done"


def _typo(params: Params, at: datetime) -> Words:
    words = format_html("Got <code>{}</code>, answered <code>{}</code>.", params.get("got"), params.get("answered"))
    if params.get("meant"):
        words = format_html("{} Did you mean <code>{}</code>?", words, params["meant"])
    elif params.get("known"):
        words = format_html("{} Expected one of {}.", words, params["known"])
    return "We did not understand that", words, "bad"


# What a line that was understood and still was wrong should have been.
_EXPECTED = {
    "NO_NAME_SET": "Expected NAME and a name first, then JOIN.",
    "NOT_JOINED_TO_CHANNEL": "Expected NAME and JOIN first, and PUT only after YOUR_MOVE.",
    "ALREADY_IN_CHANNEL": "It has joined already: nothing more is expected before YOUR_MOVE.",
    "CHANNEL_IS_FULL": "This seat is taken: close the other bot, or open another room.",
    "NOT_YOUR_TURN": "Expected PUT only after YOUR_MOVE: before that it loses and is disconnected.",
}


def _wrong(params: Params, at: datetime) -> Words:
    error = params.get("error", "")
    title = "This seat is taken" if error == "CHANNEL_IS_FULL" else "That came at the wrong time"
    expected = _EXPECTED.get(error, "Expected PUT and a column from 0 to 6, only after YOUR_MOVE.")
    words = format_html(
        "Got <code>{}</code>, answered <code>{}</code>. {}", params.get("got"), params.get("answered"), expected
    )
    return title, words, "bad"


def _elsewhere(params: Params, at: datetime) -> Words:
    words = format_html("A bot from your address named another channel. Send <code>{}</code>.", params.get("join"))
    return "Your bot has joined another room", words, "bad"


def _no_line_end(params: Params, at: datetime) -> Words:
    count = params.get("bytes")
    words = format_html("We have {} {} but no <code>\\n</code>.", count, "byte" if count == "1" else "bytes")
    return "No line end yet", words, "bad"


def _other_protocol(params: Params, at: datetime) -> Words:
    words = format_html(
        "Your bot sent <code>{}</code>. Protocol “{}” answers like that. Switch?",  # noqa: RUF001 - quotes of a sentence
        params.get("sent"),
        params.get("other"),
    )
    return "That looks like another protocol", words, "bad"


def _ready(params: Params, at: datetime) -> Words:
    words = mark_safe("The match starts when both seats are ready.")
    return "Ready to play", _joined(params, words), "ready"


def _joined(params: Params, words: SafeString) -> SafeString:
    return format_html("Joined as {}. {}", params["name"], words) if params.get("name") else words


def _gone(params: Params, at: datetime) -> Words:
    got = format_html("Got <code>{}</code>. ", params["got"]) if params.get("got") else ""
    return "Your bot has gone", format_html("{} {}{}", params.get("why"), got, params.get("advice")), "bad"


def _refused(params: Params, at: datetime) -> Words:
    return "A connection was turned away", format_html("{}", params.get("why")), "bad"


def _stopped(params: Params, at: datetime) -> Words:
    exit_words = params.get("exit", "")
    words = format_html("{}.", exit_words[:1].upper() + exit_words[1:])
    if params.get("last_error"):
        words = format_html("{} Last error line: <code>{}</code>.", words, params["last_error"])
    return "Your bot stopped", words, "bad"


def _expired(params: Params, at: datetime) -> Words:
    return "This address has expired", mark_safe("Nothing connected in 15 minutes."), "bad"


def _unknown(params: Params, at: datetime) -> Words:
    return "Something was heard", format_html("{}", ", ".join(f"{name} {value}" for name, value in params.items())), ""


WORDS: dict[str, Callable[[Params, datetime], Words]] = {
    "open": _open,
    "still_waiting": _still_waiting,
    "connected": _connected,
    "silent": _silent,
    "first_line": _first_line,
    "needs_join": _needs_join,
    "typo": _typo,
    "wrong": _wrong,
    "elsewhere": _elsewhere,
    "no_line_end": _no_line_end,
    "other_protocol": _other_protocol,
    "ready": _ready,
    "gone": _gone,
    "refused": _refused,
    "stopped": _stopped,
    "expired": _expired,
}


def _code(join: str | None) -> str:
    return (join or "").removeprefix("JOIN ")
