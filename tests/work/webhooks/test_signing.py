"""Signatures are those of Standard Webhooks, and a secret holds only under the key of this server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from pathlib import Path
from typing import Any

import pytest

from arena.work.webhooks import signing

HANDBOOK = Path(__file__).parents[3] / "docs" / "api.md"


def test_a_message_is_signed_with_what_its_owner_was_shown() -> None:
    shown = signing.shown(signing.secret_of("a nonce"))
    assert shown.startswith("whsec_")
    key = base64.b64decode(shown.removeprefix("whsec_"))
    headers = signing.signed(key, "msg_1", 1769860800, b'{"a":1}')
    expected = hmac.new(key, b'msg_1.1769860800.{"a":1}', hashlib.sha256).digest()
    assert headers == {
        "webhook-id": "msg_1",
        "webhook-timestamp": "1769860800",
        "webhook-signature": f"v1,{base64.b64encode(expected).decode()}",
    }


def test_the_example_of_the_specification_is_signed_as_there() -> None:
    """The published test vector, which every kept library checks itself against."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = signing.signed(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(("key", "nonce"), [("another key", "a nonce"), ("", "another nonce")])
def test_another_key_or_nonce_is_another_secret(key: str, nonce: str, settings: Any) -> None:
    before = signing.secret_of("a nonce")
    settings.SECRET_KEY = key or settings.SECRET_KEY
    after = signing.secret_of(nonce)
    assert before != after and signing.fingerprint(before) != signing.fingerprint(after)


def test_the_example_of_the_handbook_knows_what_is_from_here() -> None:
    (example,) = re.findall(r"```python\n(.+?)```", HANDBOOK.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    key, body, now = signing.secret_of("a nonce"), "{\u00fc}".encode(), int(time.time())
    secret, headers = signing.shown(key), signing.signed(key, "msg_1", now, body)

    def checked(**changed: Any) -> bool:
        found: bool = names["is_from_arena"](**{"secret": secret, "headers": headers, "body": body, **changed})
        return found

    assert checked() and checked(headers={**headers, "webhook-signature": f"v1,old {headers['webhook-signature']}"})
    assert not checked(body=body + b" ") and not checked(secret=signing.shown(signing.secret_of("another")))
    assert not any(checked(headers={**headers, name: "1"}) for name in headers)
    assert not any(checked(headers={each: headers[each] for each in headers if each != name}) for name in headers)
    assert not checked(headers=signing.signed(key, "msg_1", now - 400, body)), "somebody sends an old one again"
