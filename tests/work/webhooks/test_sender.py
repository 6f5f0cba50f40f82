"""The sender brings every message to who takes it, whatever other receivers do, and after a host that was killed."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from arena.models import Delivery, Lease, Webhook
from arena.models.webhook import new_nonce
from arena.work import looks
from arena.work.webhooks import posting, rows, sender, signing
from arena.work.webhooks.sender import Sender
from tests.kit.deadline import DEADLINE_S
from tests.kit.storage import held
from tests.kit.until import asked_until
from tests.work.webhooks.receiver import ACCEPTED, Receiver, receiving, trusting

pytestmark = pytest.mark.django_db(transaction=True)

FAILS = b"HTTP/1.1 500 No\r\n\r\n"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long in a test, and a busy machine makes no receiver too slow."""
    monkeypatch.setattr(posting, "DEADLINE_S", DEADLINE_S)
    monkeypatch.setattr(sender, "LOOK_S", 0.05)
    monkeypatch.setattr(looks, "EVERY_S", 0.05)
    monkeypatch.setattr(sender, "FIRST_REST_S", 0.01)
    monkeypatch.setattr(sender, "LONGEST_REST_S", 0.02)
    monkeypatch.setattr(rows, "INTERVALS_S", (0.01,))


def described(kind: str, subject: str) -> Mapping[str, Any] | None:
    return {"id": subject} if subject != "gone" else None


@asynccontextmanager
async def sending(describe: Callable[[str, str], Any] = described, allowed: bool = True) -> AsyncIterator[Sender]:
    made = Sender(await sync_to_async(held)(), describe, trusting(allowed), "Arena/1")
    try:
        yield made
    finally:
        await made.close()


@sync_to_async
def a_webhook(receiver: Receiver, name: str = "mira") -> Webhook:
    nonce = new_nonce()
    known = {"nonce": nonce, "sha256": signing.fingerprint(signing.secret_of(nonce)), "events": "match.over"}
    user, _ = User.objects.get_or_create(username=name)
    return Webhook.objects.create(user=user, url=receiver.url, receiver=f"127.0.0.1:{receiver.port}", **known)


@sync_to_async
def happened(webhook: Webhook, *subjects: str) -> None:
    for subject in subjects:
        Delivery.objects.create(webhook=webhook, kind="match.over", subject=subject)


async def settled(webhook: Webhook) -> list[Delivery]:
    """Its messages as soon as none waits."""
    waiting = Delivery.objects.filter(webhook=webhook, state="waiting")
    await asked_until(waiting.aexists, lambda found: not found)
    return [row async for row in Delivery.objects.filter(webhook=webhook).order_by("pk")]


async def when(condition: Callable[[Delivery], bool]) -> Delivery:
    """The only message as soon as it is so."""
    return await asked_until(Delivery.objects.aget, condition)


async def test_a_message_is_sent_signed_and_settled() -> None:
    async with receiving() as receiver, sending():
        webhook = await a_webhook(receiver)
        await happened(webhook, "m1")
        (row,) = await settled(webhook)
        (came,) = receiver.received
    assert (row.state, row.status, row.said, row.tries) == ("delivered", 204, "Accepted.", 1)
    body = json.loads(came.body)
    assert body.pop("timestamp").endswith("Z") and body == {"type": "match.over", "data": {"id": "m1"}}
    assert came.headers["content-type"] == "application/json" and came.headers["user-agent"] == "Arena/1"
    at, key = int(came.headers["webhook-timestamp"]), signing.secret_of(webhook.nonce)
    expected = signing.signed(key, row.name, at, came.body)
    assert {name: came.headers[name] for name in expected} == expected
    assert base64.b64encode(key).decode() not in str(came)


async def test_what_failed_is_sent_again_with_the_same_name_and_body_until_it_is_accepted() -> None:
    async with receiving(FAILS) as receiver, sending():
        webhook = await a_webhook(receiver)
        await happened(webhook, "m1")
        await receiver.until(3)
        row = await when(lambda row: row.tries >= 3)
        assert (row.state, row.status, row.said) == ("waiting", 500, "Answered 500, expected 200 to 299.")
        receiver.answer = ACCEPTED
        (row,) = await settled(webhook)
    assert row.state == "delivered" and row.tries == len(receiver.received) > 3
    assert len({(came.headers["webhook-id"], came.body) for came in receiver.received}) == 1


async def test_a_redirect_is_not_followed_and_said() -> None:
    async with receiving() as inside, receiving(FAILS) as receiver, sending():
        receiver.answer = f"HTTP/1.1 307 There\r\nLocation: {inside.url}\r\n\r\n".encode()
        await happened(await a_webhook(receiver), "m1")
        row = await when(lambda row: row.tries > 0)
        assert row.said == "Answered 307: redirects are not followed." and inside.received == []


async def test_a_private_network_is_refused_and_said() -> None:
    async with receiving() as receiver, sending(allowed=False):
        await happened(await a_webhook(receiver), "m1")
        row = await when(lambda row: row.tries > 0)
    assert row.said.startswith("Refused: 127.0.0.1 leads to 127.0.0.1, which is not a public address.")
    assert row.status is None and receiver.most == 0


async def test_receivers_that_hang_hold_nobody_up_and_each_has_one_message_at_a_time() -> None:
    async with receiving(None) as hangs, receiving() as receiver, sending():
        slow, quick = await a_webhook(hangs, "ada"), await a_webhook(receiver)
        await happened(slow, *"abc")
        await hangs.until(1)
        await happened(quick, *[f"m{n}" for n in range(10)])
        assert [row.state for row in await settled(quick)] == ["delivered"] * 10
        assert (hangs.most, len(hangs.received)) == (1, 1) and receiver.most == 1
        hangs.answer = ACCEPTED


async def test_so_many_are_on_their_way_at_once_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "AT_ONCE", 2)
    async with receiving(None) as one, receiving(None) as two, receiving(None) as three, sending():
        for receiver in (one, two):
            await happened(await a_webhook(receiver), "m1")
        await one.until(1)
        await two.until(1)
        await happened(await a_webhook(three), "m1")
        assert three.received == []
        one.close()  # its attempt has failed, and the place is free
        await three.until(1)
        assert one.connected + two.connected + three.connected <= 2


async def test_after_a_host_was_killed_the_next_one_sends_what_was_on_its_way() -> None:
    async with receiving(None) as receiver:
        webhook = await a_webhook(receiver)
        await happened(webhook, "m1", "m2")
        async with sending():
            await receiver.until(1)  # it has come, and nothing says so: as after kill -9, only what is stored is known
        receiver.answer = ACCEPTED
        async with sending():
            assert [row.state for row in await settled(webhook)] == ["delivered"] * 2
    names = [came.headers["webhook-id"] for came in receiver.received]
    assert len(names) == 3 and names[0] == names[1], "the name tells that it came twice"


async def test_without_the_lease_nothing_is_sent_or_settled() -> None:
    async with receiving(None) as receiver:
        webhook = await a_webhook(receiver)
        async with sending():
            await happened(webhook, "m1")
            await receiver.until(1)
            await Lease.objects.aupdate(epoch=99)
            receiver.close()
            await happened(webhook, "m2")
        assert [row.tries async for row in Delivery.objects.order_by("pk")] == [0, 0]
        assert len(receiver.received) == 1


async def test_a_receiver_that_wants_no_more_is_switched_off() -> None:
    async with receiving(b"HTTP/1.1 410 Gone\r\n\r\n") as receiver, sending():
        webhook = await a_webhook(receiver)
        await happened(webhook, "m1")
        await settled(webhook)
        await asked_until(Webhook.objects.aget, lambda row: row.off is not None)
    assert (await Webhook.objects.aget()).why == "Answered 410: it wants no messages any more."


async def test_a_server_with_another_key_signs_nothing() -> None:
    async with receiving() as receiver, sending():
        webhook = await a_webhook(receiver)
        await Webhook.objects.aupdate(sha256="0" * 64)
        await happened(webhook, "m1")
        await settled(webhook)
        assert receiver.received == []
    assert "key of this server was replaced" in (await Webhook.objects.aget()).why


async def test_what_has_nothing_to_tell_or_cannot_be_made_is_given_up() -> None:
    def fails(kind: str, subject: str) -> Mapping[str, Any] | None:
        if subject == "bad":
            raise ZeroDivisionError("a defect of ours")
        return described(kind, subject)

    async with receiving() as receiver, sending(fails):
        webhook = await a_webhook(receiver)
        await happened(webhook, "gone", "bad", "m1")
        found = {row.subject: (row.state, row.said) for row in await settled(webhook)}
    assert found == {
        "gone": ("given up", "Its subject no longer exists."),
        "bad": ("given up", "A fault of this server: it cannot be sent."),
        "m1": ("delivered", "Accepted."),
    }


async def test_a_receiver_that_answers_without_end_is_done_with_its_status() -> None:
    async with receiving(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000) as receiver, sending():
        webhook = await a_webhook(receiver)
        await happened(webhook, "m1")
        (row,) = await settled(webhook)
    assert row.state == "delivered" and "x" not in row.said
