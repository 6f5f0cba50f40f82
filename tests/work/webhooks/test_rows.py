"""Messages are stored with what they tell of, tried for a day, and kept within bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from arena.cluster.lease import Fence, NotTheHost
from arena.match.state import LogEvent
from arena.models import Bot, Delivery, Lease, Player, Webhook
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from arena.work.webhooks import rows
from arena.work.webhooks.rows import Answered, DueMessage
from tests.kit.rated import a_match, store
from tests.kit.storage import held
from tests.kit.tournaments import a_spec

pytestmark = pytest.mark.django_db(transaction=True)

ACCEPTED, FAILED = Answered(204, "Accepted."), Answered(500, "Answered 500, expected 200 to 299.")


def a_webhook(name: str = "mira", events: str = " ".join(rows.KINDS), receiver: str = "example.org") -> Webhook:
    user, _ = User.objects.get_or_create(username=name)
    return Webhook.objects.create(user=user, url=f"https://{receiver}/", receiver=receiver, events=events)


def a_player(name: str, kind: str = "person") -> Player:
    user, _ = User.objects.get_or_create(username=name)
    return Player.objects.create(kind=kind, name=name, slug=name, user=user if kind == "person" else None)


def a_bot(name: str, owner: str) -> Player:
    player, (user, _) = a_player(name, "bot"), User.objects.get_or_create(username=owner)
    Bot.objects.create(player=player, owner=user, variant="connect-four-7x6", protocol="droidcon", family=name)
    return player


def told() -> list[tuple[str, str, str]]:
    found = Delivery.objects.order_by("webhook__user__username", "pk")
    return list(found.values_list("webhook__user__username", "kind", "subject"))


def waiting(webhook: Webhook, count: int = 1) -> list[Delivery]:
    return [Delivery.objects.create(webhook=webhook, kind="test") for _ in range(count)]


def message() -> DueMessage:
    found = rows.next_message(None, (), ())
    assert found is not None
    return found


def tried(answered: Answered = FAILED) -> Delivery:
    """The next message, which was answered so."""
    sent = message()
    rows.settle(sent, answered, None)
    return Delivery.objects.get(pk=sent.delivery)


def later(**of: float) -> None:
    """Everything was so much earlier."""
    by = timedelta(**of)
    for row in Delivery.objects.all():
        moved = {name: getattr(row, name) - by for name in ("at", "due", "tried", "settled") if getattr(row, name)}
        Delivery.objects.filter(pk=row.pk).update(**moved)
    for webhook in Webhook.objects.exclude(failing=None):
        Webhook.objects.filter(pk=webhook.pk).update(failing=webhook.failing - by if webhook.failing else None)


# -- what happened -----------------------------------------------------------------------------------------------------


def test_the_end_of_a_match_is_told_to_those_who_played_and_whose_bot_did() -> None:
    for name in ("ada", "bob", "eve"):
        a_webhook(name)
    store(a_match(a_player("ada"), a_bot("gravity", "bob"), match="m1"))
    assert told() == [("ada", "match.over", "m1"), ("bob", "match.over", "m1")]


def test_who_plays_their_own_bot_is_told_once_for_each_webhook() -> None:
    a_webhook("ada")
    a_webhook("ada", receiver="example.net")
    a_webhook("ada", events=rows.FINAL)
    store(a_match(a_player("ada"), a_bot("gravity", "ada"), match="m1"))
    assert told() == [("ada", "match.over", "m1")] * 2


def test_what_a_webhook_is_not_for_is_not_told_it() -> None:
    Webhook.objects.filter(pk=a_webhook("ada").pk).update(off=timezone.now())
    a_webhook("bob")
    User.objects.filter(username="bob").update(is_active=False)
    store(a_match(a_player("ada"), a_player("bob")))
    assert told() == []


def test_an_ending_that_was_not_stored_is_not_told() -> None:
    a_webhook("ada")
    ada, bob = a_player("ada"), a_player("bob")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        store(a_match(ada, bob))
        raise ZeroDivisionError
    assert told() == []


def test_only_endings_are_told_and_asked_for() -> None:
    a_webhook("ada")
    rows.after([("m1", LogEvent(4, datetime.now(UTC), "ruled"))])
    assert told() == []


def test_an_event_that_begins_and_whose_table_is_final_is_told_to_those_concerned() -> None:
    for name in ("ada", "bob", "org", "eve"):
        a_webhook(name)
    ada = EntrySpec("ada", "person", player=a_player("ada").pk, agrees=True)
    bot = EntrySpec("gravity", "bot", player=a_bot("gravity", "bob").pk)
    event = actions.create(a_spec(entries=(ada, bot), clock="1m"), User.objects.get(username="org"))
    assert told() == []
    actions.start(event)
    said = str(event.pk)
    assert told() == [(name, "tournament.begun", said) for name in ("ada", "bob", "org")]
    Delivery.objects.all().delete()
    type(event).objects.update(state="finished")
    actions.publish(event)
    assert told() == [(name, "tournament.final", said) for name in ("ada", "bob", "org")]


def test_a_bot_of_nobody_is_told_to_nobody() -> None:
    a_webhook("ada")
    rows.tell_of_bot(rows.BOT_OFFLINE, 7, None)
    assert told() == []
    rows.tell_of_bot(rows.BOT_OFFLINE, 7, User.objects.get().pk)
    assert told() == [("ada", "bot.offline", "7")]


def test_one_test_waits_at_a_time() -> None:
    webhook = a_webhook()
    assert rows.send_test(webhook) and not rows.send_test(webhook)
    tried(ACCEPTED)
    assert rows.send_test(webhook)


# -- what is sent ------------------------------------------------------------------------------------------------------


def test_what_is_due_longest_is_sent_and_one_at_a_time_to_a_receiver() -> None:
    first, second = a_webhook(), a_webhook(receiver="example.net")
    (one, two), (other,) = waiting(first, 2), waiting(second)
    assert message().delivery == one.pk
    busy = rows.next_message(None, ["example.org"], ())
    assert busy is not None and busy.delivery == other.pk
    assert rows.next_message(None, ["example.org", "example.net"], ()) is None
    assert tried(ACCEPTED).pk == one.pk and tried(ACCEPTED).pk == two.pk


def test_a_webhook_that_rests_is_sent_tests_alone() -> None:
    webhook = a_webhook()
    Delivery.objects.create(webhook=webhook, kind=rows.MATCH_OVER, subject="m1")
    assert rows.next_message(None, (), [webhook.pk]) is None
    rows.send_test(webhook)
    found = rows.next_message(None, (), [webhook.pk])
    assert found is not None and found.kind == "test"


def test_nothing_is_sent_without_the_lease() -> None:
    waiting(a_webhook())
    fence = held()
    sent = rows.next_message(fence, (), ())
    assert sent is not None
    Lease.objects.update(epoch=fence.epoch + 1)
    assert rows.next_message(fence, (), ()) is None
    with pytest.raises(NotTheHost):
        rows.settle(sent, ACCEPTED, fence)
    with pytest.raises(NotTheHost):
        rows.sweep(Fence(fence.name, fence.epoch))
    assert Delivery.objects.get().state == "waiting"


def test_what_was_accepted_is_done() -> None:
    waiting(a_webhook())
    row = tried(ACCEPTED)
    assert (row.state, row.tries, row.status, row.said) == ("delivered", 1, 204, "Accepted.")
    assert row.settled is not None and rows.next_message(None, (), ()) is None


def test_what_was_refused_is_tried_for_a_day_and_then_given_up() -> None:
    waiting(a_webhook())
    began = timezone.now()
    while (row := tried()).state == "waiting":
        assert rows.next_message(None, (), ()) is None, "it is not due"
        assert row.tries < 30 and row.due > timezone.now() + timedelta(seconds=8)
        later(seconds=(row.due - timezone.now()).total_seconds() + 1)
        Webhook.objects.update(failing=timezone.now())  # others were accepted meanwhile
    assert row.tries > len(rows.INTERVALS_S)
    assert row.tried is not None and row.tried < began - timedelta(hours=23)
    assert (row.state, row.status) == ("given up", 500)
    assert Webhook.objects.get().off is None


def test_each_interval_is_longer_than_the_one_before() -> None:
    assert list(rows.INTERVALS_S) == sorted(set(rows.INTERVALS_S))


def test_a_receiver_that_fails_for_a_day_is_switched_off_in_words_with_all_that_waits() -> None:
    webhook = a_webhook()
    waiting(webhook, 3)
    assert tried().state == "waiting"
    first = Webhook.objects.get().failing
    assert first is not None
    assert tried().state == "waiting" and Webhook.objects.get().failing == first, "since the first time"
    later(hours=24, minutes=1)
    tried()
    webhook.refresh_from_db()
    assert webhook.off is not None
    assert webhook.why == "It has accepted nothing for a day. The last time: Answered 500, expected 200 to 299."
    assert set(Delivery.objects.values_list("state", flat=True)) == {"given up"}
    assert rows.next_message(None, (), ()) is None
    rows.switch_on(webhook)
    waiting(webhook)
    assert tried().state == "waiting" and Webhook.objects.get().off is None, "it begins anew"


def test_one_success_ends_a_row_of_failures() -> None:
    waiting(a_webhook(), 2)
    tried()
    tried(ACCEPTED)
    assert Webhook.objects.get().failing is None


def test_who_wants_nothing_more_is_switched_off_at_once() -> None:
    waiting(a_webhook(), 2)
    tried(Answered(410, "Answered 410: it wants no messages any more.", True))
    assert Webhook.objects.get().off is not None
    assert set(Delivery.objects.values_list("state", flat=True)) == {"given up"}


def test_a_webhook_that_is_deleted_while_it_is_sent_to_is_forgotten() -> None:
    webhook = a_webhook()
    waiting(webhook)
    sent = message()
    webhook.delete()
    rows.settle(sent, ACCEPTED, None)
    rows.keep_body(sent, "{}")
    rows.give_up(sent, "why", None)
    assert not Delivery.objects.exists()


def test_a_message_is_settled_once() -> None:
    waiting(a_webhook())
    sent = message()
    rows.settle(sent, ACCEPTED, None)
    rows.settle(sent, FAILED, None)
    row = Delivery.objects.get()
    assert (row.state, row.tries) == ("delivered", 1) and Webhook.objects.get().failing is None


def test_rows_of_a_webhook_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_WAITING", 3)
    monkeypatch.setattr(rows, "MOST_SETTLED", 2)
    other = waiting(a_webhook("ada"), 1)
    webhook = a_webhook()
    many = waiting(webhook, 5)
    rows.sweep(None)
    states = dict(Delivery.objects.filter(webhook=webhook).values_list("pk", "state"))
    assert [states[row.pk] for row in many] == ["given up"] * 2 + ["waiting"] * 3, "the oldest ones"
    Delivery.objects.filter(webhook=webhook).update(state="delivered", settled=timezone.now())
    rows.sweep(None)
    assert {row.pk for row in Delivery.objects.all()} == {row.pk for row in [*many[3:], *other]}
    later(days=8)
    rows.sweep(None)
    assert [row.pk for row in Delivery.objects.all()] == [row.pk for row in other], "what waits is never forgotten"
