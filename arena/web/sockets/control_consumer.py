"""The websocket of a page of the administration: numbers as they are, and that something is new. The page asks what.

So each reader is shown by its own rights, by a request that any process can answer from rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.db.models import Count, Max, Q, Sum
from django.utils.html import format_html, format_html_join

from arena import figures
from arena.figures import Present
from arena.models import Audit, Event, Machine, Work
from arena.web.prefs import Prefs
from arena.web.sockets.consumers import Close, Consumer, Scope, visitor_in_thread
from arena.web.tournaments.feed import news_of

# For this long, an answer for one reader also serves others with the same page.
KEPT_S = 0.8
# How often to check whether the reader is still staff.
AGAIN_S = 10.0
FORBIDDEN = 4403

_told: dict[str, tuple[float, str]] = {}


class ControlConsumer(Consumer):
    """A browser of staff on the control room, on an event with `?event=<slug>`, on a match with `?match=<id>`,
    on *Machines and work* with `?machines=all`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._subject = ""
        self._seen = ""
        self._scope: Scope = {}
        self._known_at = 0.0

    async def find(self, scope: Scope) -> None:
        """Works on a front as well, which hears the numbers of its host and reads rows."""
        asked = parse_qs(scope["query_string"].decode("latin1"))
        kind = next((kind for kind in NEWS if kind in asked), "")
        self._subject, self._scope = f"{kind} {asked[kind][0][:64] if kind else ''}", scope
        await self._must_be_staff()
        figures.on_publish.append(self.wake)

    def speak(self, scope: Scope, account: Prefs | None = None) -> None:
        """Staff get English, whatever their browser asks for."""

    async def _must_be_staff(self) -> None:
        """Check the rights, which may be taken away while the page is open. Raises Close."""
        if time.monotonic() - self._known_at < AGAIN_S:
            return
        visitor = await visitor_in_thread(self._scope["headers"])
        if not visitor.staff:
            raise Close(FORBIDDEN, "this is for staff")
        self.visitor, self._known_at = visitor, time.monotonic()

    def closed(self) -> None:
        if self.wake in figures.on_publish:
            figures.on_publish.remove(self.wake)

    async def write(self) -> None:
        await self._must_be_staff()
        text = signal(await _news(self._subject), figures.present() if self._subject == " " else None)
        await self.say_if_new(text)


def signal(news: str, numbers: Present | None) -> str:
    """`news` changes when anything on the page does. The numbers are updated at once, but for that of the matches: the
    page counts them in rows, where those are as well that the host has put aside because nobody is there.
    """
    said = format_html('<div id="signal" data-news="{}" hx-swap-oob="true" hidden></div>', news)
    counts = _counts(numbers) if numbers is not None else {}
    return said + format_html_join("", '<b id="now-{}" hx-swap-oob="true">{}</b>', counts.items())


def _counts(numbers: Present) -> Mapping[str, int]:
    return {"rooms": numbers.rooms, "bots": numbers.bots, "people": numbers.viewers}


async def _news(subject: str) -> str:
    """The news, asked once a second for all readers."""
    at, told = _told.get(subject, (0.0, ""))
    if time.monotonic() - at > KEPT_S:
        told = await _read(subject)
        now = time.monotonic()
        for old in [name for name, (then, _) in _told.items() if now - then > AGAIN_S]:
            del _told[old]
        _told[subject] = now, told
    return told


def _in_rows(subject: str) -> str:
    kind, _, name = subject.partition(" ")
    newest = Audit.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return f"{newest} {NEWS[kind](name) if kind else _of_everything()}"


_read = database_sync_to_async(_in_rows, thread_sensitive=False)


def _of_everything() -> str:
    return str(Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0)


def _of_match(number: str) -> str:
    newest: int | None = Event.objects.filter(match=number).aggregate(newest=Max("seq"))["newest"]
    return str(newest or 0)


def _of_event(slug: str) -> str:
    news = news_of(slug)
    return " ".join(map(str, news)) if news is not None else ""


def _of_machines(name: str) -> str:
    """Each claim of a row raises its token."""
    of_work = Work.objects.aggregate(
        Max("pk"), Sum("token"), Sum("faults"), Sum("voids"), open=Count("pk", filter=OPEN)
    )
    of_workers = Machine.objects.aggregate(Max("seen"), Sum("answered"), Sum("late"), taking=Count("pk", filter=TAKING))
    return " ".join(map(str, [*of_work.values(), *of_workers.values()]))


OPEN = Q(state__in=(Work.State.WAITING, Work.State.OUT))
TAKING = Q(draining=False, distrusted="")
NEWS = {"event": _of_event, "match": _of_match, "machines": _of_machines}
