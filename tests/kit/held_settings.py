"""`arena.settings` for servers that tests start: every answer of their API is held against the OpenAPI document."""

from arena.settings import *  # noqa: F403
from arena.settings import MIDDLEWARE

MIDDLEWARE.insert(0, "tests.web.api.conforming.Conforming")
# The usual one takes a quarter of a second a password.
PASSWORD_HASHERS = ["tests.kit.hashing.Quick"]
