"""Passwords for servers of tests, hashed as on every server, but once instead of a million times."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class Quick(PBKDF2PasswordHasher):
    iterations = 1
