"""The rows of messages: how one is created with its subject, chosen, settled, and deleted.

A message waits until it is accepted, or has been refused for a day since its first attempt: then it is given up. It is
stored in the transaction that stores its subject, and settled after the answer, so none is lost; one may be sent twice,
which its id shows. For threads, not for the loop.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from arena.cluster.lease import Fence, by_holder, for_holder
from arena.match.state import LogEvent
from arena.models import Delivery, Entry, Match, Seat, Tournament, Webhook

MATCH_OVER, BOT_OFFLINE, BOT_QUARANTINED = "match.over", "bot.offline", "bot.quarantined"
BEGUN, FINAL, TEST = "tournament.begun", "tournament.final", "test"
KINDS = (MATCH_OVER, BOT_OFFLINE, BOT_QUARANTINED, BEGUN, FINAL)

# Seconds from one attempt to the next; the last value is used for all further ones.
INTERVALS_S = (10, 30, 120, 600, 1800, 3600, 7200, 14400)
# At most this much longer, so that messages that failed together are not tried together.
SPREAD = 0.1
GIVEN_UP_AFTER = timedelta(days=1)
# Limits of one webhook. Waiting messages beyond that are given up; settled ones beyond that, or this old, are deleted.
MOST_WAITING, MOST_SETTLED = 1000, 100
SETTLED_KEPT = timedelta(days=7)

State = Delivery.State
Waiting = Q(state=State.WAITING)
Live = Q(webhook__off=None, webhook__user__is_active=True)


class DueMessage(NamedTuple):
    """A message that is to be sent now. `body` is "" before the first attempt."""

    delivery: int
    name: str
    kind: str
    subject: str
    at: datetime
    body: str
    webhook: int
    url: str
    receiver: str
    nonce: str
    sha256: str


class Answered(NamedTuple):
    """The outcome of an attempt: the status of the answer, None if nobody answered, and words. `never`: nothing may be
    sent there any more.
    """

    status: int | None
    words: str
    never: bool = False

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


# -- what happened -----------------------------------------------------------------------------------------------------


def after(closing: Sequence[tuple[str, LogEvent]]) -> None:
    """Announce the matches that end with these events. Called in the transaction that stores them."""
    ended = [match for match, event in closing if event.kind == "ended"]
    if not ended or not _is_any_wanted(MATCH_OVER):
        return
    concerned: dict[str, set[int | None]] = defaultdict(set)
    seats = Seat.objects.filter(match__in=ended, verified=True, player__isnull=False)
    for match, person, owner in seats.values_list("match", "player__user", "player__bot__owner"):
        concerned[match] |= {person, owner}
    played = Match.objects.filter(pk__in=ended, pairing__isnull=False)
    for match, organiser in played.values_list("pk", "pairing__tournament__organiser"):
        concerned[match].add(organiser)
    _tell(MATCH_OVER, concerned)


def tell_of_bot(kind: str, player: int, owner: int | None) -> None:
    """Announce what happened to this bot, in the transaction that stores it."""
    _tell(kind, {str(player): {owner}})


def tell_of_tournament(kind: str, tournament: Tournament) -> None:
    """Tell its organiser, its players and the owners of its bots, in the transaction that stores what happened."""
    if not _wanted(kind).exists():
        return
    entries = Entry.objects.filter(tournament=tournament, withdrawn=None, player__isnull=False)
    concerned = {tournament.organiser_id}
    for person, owner in entries.values_list("player__user", "player__bot__owner"):
        concerned |= {person, owner}
    _tell(kind, {str(tournament.pk): concerned})


def send_test(webhook: Webhook) -> bool:
    """Send a test message; False if one is waiting already."""
    if Delivery.objects.filter(Waiting, webhook=webhook, kind=TEST).exists():
        return False
    Delivery.objects.create(webhook=webhook, kind=TEST)
    return True


def _is_any_wanted(kind: str) -> bool:
    """Whether anybody wants to hear of it. Most matches cost only this query, so it is written in SQL."""
    table = connection.ops.quote_name(Webhook._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {table} WHERE off IS NULL LIMIT 1")
        return cursor.fetchone() is not None and _wanted(kind).exists()


def _wanted(kind: str) -> QuerySet[Webhook]:
    return Webhook.objects.filter(off=None, user__is_active=True, events__contains=kind)


def _tell(kind: str, concerned: Mapping[str, Iterable[int | None]]) -> None:
    users = {user for each in concerned.values() for user in each if user is not None}
    webhooks: dict[int, list[int]] = defaultdict(list)
    for webhook, user in _wanted(kind).filter(user__in=users).values_list("pk", "user"):
        webhooks[user].append(webhook)
    Delivery.objects.bulk_create(
        Delivery(webhook_id=webhook, kind=kind, subject=subject)
        for subject, those in concerned.items()
        for user in sorted(each for each in those if each is not None)
        for webhook in webhooks[user]
    )


# -- what is sent ------------------------------------------------------------------------------------------------------


def next_message(fence: Fence | None, receivers: Collection[str], resting: Collection[int]) -> DueMessage | None:
    """The message due longest: none for these receivers, tests only for these webhooks. None without the lease."""
    due = Delivery.objects.filter(Waiting, Live, due__lte=timezone.now()).exclude(webhook__receiver__in=receivers)
    due = due.exclude(Q(webhook__in=resting) & ~Q(kind=TEST))
    row = for_holder(due, fence).select_related("webhook").order_by("due", "pk").first()
    if row is None:
        return None
    to = row.webhook
    said = (row.pk, row.name, row.kind, row.subject, row.at, row.body)
    return DueMessage(*said, to.pk, to.url, to.receiver, to.nonce, to.sha256)


def is_any_waiting() -> bool:
    """Whether anything remains to be sent, now or later."""
    return Delivery.objects.filter(Waiting, Live).exists()


def keep_body(message: DueMessage, body: str) -> None:
    """Store the body, which every attempt sends."""
    Delivery.objects.filter(pk=message.delivery).update(body=body)


def settle(message: DueMessage, answered: Answered, fence: Fence | None) -> None:
    """Store how an attempt went. Raises NotTheHost if another process holds the lease."""
    with by_holder(fence):
        row = Delivery.objects.select_related("webhook").filter(Waiting, pk=message.delivery).first()
        if row is None:
            return  # its webhook was deleted meanwhile
        now, webhook = timezone.now(), row.webhook
        first = row.tried or now
        kept = {"tries": row.tries + 1, "tried": first, "status": answered.status, "said": answered.words[:200]}
        if answered.is_accepted:
            kept |= {"state": State.DELIVERED, "settled": now}
            webhook.failing = None
        else:
            webhook.failing = webhook.failing or now
            if now - first >= GIVEN_UP_AFTER:
                kept |= {"state": State.GIVEN_UP, "settled": now}
            else:
                kept |= {"due": min(now + _interval(row.tries + 1), first + GIVEN_UP_AFTER)}
        Delivery.objects.filter(pk=row.pk).update(**kept)
        Webhook.objects.filter(pk=webhook.pk).update(failing=webhook.failing)
        if answered.never:
            switch_off(webhook, answered.words)
        elif webhook.failing is not None and now - webhook.failing >= GIVEN_UP_AFTER:
            switch_off(webhook, f"It has accepted nothing for a day. The last time: {answered.words}")


def give_up(message: DueMessage, why: str, fence: Fence | None) -> None:
    """Give the message up, because there is nothing to send."""
    with by_holder(fence):
        _give_up(Delivery.objects.filter(pk=message.delivery), why)


def switch_off(webhook: Webhook, why: str) -> None:
    """Send nothing more there, waiting messages included, until the owner switches it on again."""
    # A reason given by staff stays: an attempt may have been under way when they gave it.
    Webhook.objects.filter(pk=webhook.pk, by_staff=False).update(off=timezone.now(), why=why[:200])
    _give_up(Delivery.objects.filter(webhook=webhook), "The webhook was switched off.")


def switch_off_by_staff(webhook: Webhook, why: str) -> None:
    """Like `switch_off`, but until staff switch it on again."""
    switch_off(webhook, why)
    Webhook.objects.filter(pk=webhook.pk).update(by_staff=True)


def switch_on(webhook: Webhook) -> None:
    """From now on it receives messages again."""
    Webhook.objects.filter(pk=webhook.pk).update(off=None, failing=None, why="", by_staff=False)


def sweep(fence: Fence | None) -> None:
    """Keep the rows of each webhook within bounds. Raises NotTheHost if another process holds the lease."""
    with by_holder(fence):
        Delivery.objects.filter(settled__lt=timezone.now() - SETTLED_KEPT).delete()
        for rows in _beyond(Waiting, MOST_WAITING):
            _give_up(rows, f"More than {MOST_WAITING} messages waited.")
        for rows in _beyond(~Waiting, MOST_SETTLED):
            rows.delete()


def _interval(tries: int) -> timedelta:
    seconds = INTERVALS_S[min(tries, len(INTERVALS_S)) - 1]
    return timedelta(seconds=seconds * (1 + SPREAD * random.random()))


def _give_up(rows: QuerySet[Delivery], why: str) -> None:
    rows.filter(Waiting).update(state=State.GIVEN_UP, settled=timezone.now(), said=why)


def _beyond(those: Q, most: int) -> Iterator[QuerySet[Delivery]]:
    """The surplus rows of each webhook, the oldest ones."""
    counted = Delivery.objects.filter(those).values("webhook").annotate(n=Count("pk")).filter(n__gt=most)
    for webhook in list(counted.values_list("webhook", flat=True)):
        of_one = Delivery.objects.filter(those, webhook=webhook)
        last = of_one.order_by("-pk").values_list("pk", flat=True)[most]
        yield of_one.filter(pk__lte=last)
