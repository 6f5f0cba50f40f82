"""What the arena receives from a connecting bot, in words: one line for each item, as the wizard shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import ngettext

from arena.bots.seats.hearing import Heard
from arena.web import card_words
from arena.web.words import capital, marked_name

Params = Mapping[str, str]


class WizardStep(NamedTuple):
    """One line. `state`: "done", "now" (the current step) or "bad" (something has to be done).

    `switch` are protocols that the bot may speak instead. `action` is what else can be done: "other" (choose another
    opponent), "again" (open the address again), "wire" (see the whole conversation). `key` identifies the item, so that
    nothing is said twice.
    """

    key: str
    title: str
    words: SafeString
    state: str
    switch: tuple[str, ...] = ()
    action: str = ""


def steps(heard: Sequence[Heard], host: str, other_free: bool) -> list[WizardStep]:
    """What was received, oldest first. `other_free`: nobody sits on the other side yet."""
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
        words, action = _joined(params, _("Built-in Club takes the other seat in 5 s.")), "other"
    else:
        action = {"expired": "again", "stopped": "wire"}.get(heard.code, "")
    return WizardStep(key, title, words, state, switch, action)


def _nothing_yet(opened: Heard) -> WizardStep:
    words = format_html(
        _("Nothing has connected to port {port} yet. Free until {until} UTC."),
        port=opened.params.get("port"),
        until=opened.params.get("until"),
    )
    return WizardStep("waiting", _("Waiting for your bot …"), words, "now")


Words = tuple[str, SafeString, str]


def _open(params: Params, at: datetime) -> Words:
    words = _("Port {port}, channel {code}") if params.get("join") else _("Port {port}")
    return _("Room is open"), format_html(words, port=params.get("port"), code=_code(params.get("join"))), "done"


def _still_waiting(params: Params, at: datetime) -> Words:
    words = format_html(
        _("Firewall? Try <code>nc -v {host} {port}</code> from the bot's machine."),
        host=params["host"],
        port=params.get("port"),
    )
    return _("Still waiting"), words, "bad"


def _connected(params: Params, at: datetime) -> Words:
    """The time since then changes constantly, so it is not read aloud again."""
    since = max(0, round((datetime.now(UTC) - at).total_seconds()))
    words = format_html(
        '{}<span aria-hidden="true" data-ago="{}">, {}</span>',
        _("from {address}").format(address=params.get("address")),
        since,
        ngettext("{n} second ago", "{n} seconds ago", since).format(n=since),
    )
    return _("Connected"), words, "done"


def _silent(params: Params, at: datetime) -> Words:
    words = _("Your bot has sent nothing. Is its output flushed? In Python: <code>{code}</code>.")
    return _("Connected, but silent"), format_html(words, code="print(..., flush=True)"), "bad"


def _first_line(params: Params, at: datetime) -> Words:
    return _("First line received"), format_html("<code>{}</code>", params.get("line")), "done"


def _needs_join(params: Params, at: datetime) -> Words:
    words = format_html(
        _("We answered <code>{answered}</code>. Send <code>JOIN {code}</code>."),
        answered=params.get("answered"),
        code=_code(params.get("join")),
    )
    return _("Waiting for JOIN"), words, "done"


def _typo(params: Params, at: datetime) -> Words:
    words = _got(params)
    if params.get("meant"):
        words = format_html("{} {}", words, format_html(_("Did you mean <code>{word}</code>?"), word=params["meant"]))
    elif params.get("known"):
        words = format_html("{} {}", words, format_html(_("Expected one of {known}."), known=params["known"]))
    return _("We did not understand that"), words, "bad"


def _got(params: Params) -> SafeString:
    words = _("Got <code>{got}</code>, answered <code>{answered}</code>.")
    return format_html(words, got=params.get("got"), answered=params.get("answered"))


# What the bot should have sent instead of a line that was understood but wrong.
_EXPECTED = {
    "NO_NAME_SET": later("Expected NAME and a name first, then JOIN."),
    "NOT_JOINED_TO_CHANNEL": later("Expected NAME and JOIN first, and PUT only after YOUR_MOVE."),
    "ALREADY_IN_CHANNEL": later("It has joined already: nothing more is expected before YOUR_MOVE."),
    "CHANNEL_IS_FULL": later("This seat is taken: close the other bot, or open another room."),
    "NOT_YOUR_TURN": later("Expected PUT only after YOUR_MOVE: before that it loses and is disconnected."),
}


def _wrong(params: Params, at: datetime) -> Words:
    error = params.get("error", "")
    title = _("This seat is taken") if error == "CHANNEL_IS_FULL" else _("That came at the wrong time")
    expected = _EXPECTED.get(error) or _("Expected PUT and a column from 0 to 6, only after YOUR_MOVE.")
    return title, format_html("{} {}", _got(params), expected), "bad"


def _elsewhere(params: Params, at: datetime) -> Words:
    words = _("A bot from your address named another channel. Send <code>{line}</code>.")
    return _("Your bot has joined another room"), format_html(words, line=params.get("join")), "bad"


def _no_line_end(params: Params, at: datetime) -> Words:
    count = int(params["bytes"])
    words = ngettext("We have {n} byte but no <code>\\n</code>.", "We have {n} bytes but no <code>\\n</code>.", count)
    return _("No line end yet"), format_html(words, n=count), "bad"


def _other_protocol(params: Params, at: datetime) -> Words:
    words = format_html(
        _("Your bot sent <code>{sent}</code>. Protocol “{other}” answers like that. Switch?"),  # noqa: RUF001 - quotes
        sent=params.get("sent"),
        other=params.get("other"),
    )
    return _("That looks like another protocol"), words, "bad"


def _web_client(params: Params, at: datetime) -> Words:
    why, advice = (card_words.told(params.get(name, "")) for name in ("why", "advice"))
    return _("That is a web client"), format_html("{} {}", why, advice), "bad"


def _ready(params: Params, at: datetime) -> Words:
    return _("Ready to play"), _joined(params, _("The match starts when both seats are ready.")), "ready"


def _joined(params: Params, words: str) -> SafeString:
    if not params.get("name"):
        return escape(words)
    return format_html("{} {}", _("Joined as {name}.").format(name=marked_name(params["name"])), words)


def _gone(params: Params, at: datetime) -> Words:
    why, advice = (card_words.told(params.get(name, "")) for name in ("why", "advice"))
    if not params.get("got"):
        return _("Your bot has gone"), format_html("{} {}", why, advice), "bad"
    got = format_html(_("Got <code>{got}</code>."), got=params["got"])
    return _("Your bot has gone"), format_html("{} {} {}", why, got, advice), "bad"


def _refused(params: Params, at: datetime) -> Words:
    return _("A connection was turned away"), format_html('<span lang="en">{}</span>', params.get("why")), "bad"


def _stopped(params: Params, at: datetime) -> Words:
    words = format_html("{}.", capital(card_words.exit_words(params.get("exit", ""))))
    if params.get("last_error"):
        last = format_html(_("Last error line: <code>{line}</code>."), line=params["last_error"])
        words = format_html("{} {}", words, last)
    return _("Your bot stopped"), words, "bad"


def _expired(params: Params, at: datetime) -> Words:
    return _("This address has expired"), escape(_("Nothing connected in 15 minutes.")), "bad"


def _unknown(params: Params, at: datetime) -> Words:
    said = ", ".join(f"{name} {value}" for name, value in params.items())
    return _("Something was heard"), format_html("{}", said), ""


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
    "web_client": _web_client,
    "ready": _ready,
    "gone": _gone,
    "refused": _refused,
    "stopped": _stopped,
    "expired": _expired,
}


def _code(join: str | None) -> str:
    return (join or "").removeprefix("JOIN ")
