"""Messages are signed as Standard Webhooks describes (https://www.standardwebhooks.com). A secret is derived from the
server's key and a value in the row, so a copy of the database cannot sign.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.utils.crypto import salted_hmac

SALT = "arena.webhooks"


def secret_of(nonce: str) -> bytes:
    """The 32 bytes that sign messages to the webhook with this nonce, under the key of this server."""
    return salted_hmac(SALT, nonce, algorithm="sha256").digest()


def shown(secret: bytes) -> str:
    """The secret as it is given to its owner: `whsec_` and base64."""
    return f"whsec_{base64.b64encode(secret).decode()}"


def fingerprint(secret: bytes) -> str:
    """Distinguishes secrets without revealing them."""
    return hashlib.sha256(secret).hexdigest()


def signed(secret: bytes, name: str, at: int, body: bytes) -> dict[str, str]:
    """The headers of a message; `at` is when it is sent, in seconds since 1970."""
    digest = hmac.digest(secret, f"{name}.{at}.".encode() + body, "sha256")
    return {
        "webhook-id": name,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
