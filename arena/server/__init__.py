"""The web server: Daphne with guards."""

from __future__ import annotations

import sys

# The arena leaves TLS to proxies (docs/deployment.md). Twisted would load pyOpenSSL and cryptography at each start of a
# server, and does without them if they are missing.
sys.modules.setdefault("OpenSSL", None)  # type: ignore[arg-type]  # how Python itself marks a module as missing
