"""Reads settings from the environment. A value that cannot be read stops the start with one line that says why."""

from __future__ import annotations

import os
import re
from ipaddress import ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from arena.common.limits import HERE, Rate
from arena.common.numbers import LARGEST, whole_number

# Whether a command only says how it is used: then no folder of data is needed.
only_helps = False


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def words(name: str, default: str = "") -> list[str]:
    return [word for word in text(name, default).replace(",", " ").split() if word]


def number(name: str, default: int, most: int = LARGEST) -> int:
    found = text(name, str(default))
    value = whole_number(found, most=most)
    if value is None:
        bound = f" up to {most}" if most < LARGEST else ""
        raise ImproperlyConfigured(f"{name}={found}: expected a whole number{bound}, for example {name}={default}.")
    return value


def one_of(name: str, default: str, allowed: dict[str, str]) -> str:
    found = text(name, default).lower()
    if found not in allowed:
        raise ImproperlyConfigured(f"{name}={found}: expected one of {', '.join(allowed)}.")
    return allowed[found]


def ports(name: str, default: str) -> range:
    """`4300-4399`, both of them included."""
    found = text(name, default)
    first, last = (whole_number(part, 1, 65535) for part in (found.split("-") + ["", ""])[:2])
    if first is None or last is None or first > last or found.count("-") != 1:
        raise ImproperlyConfigured(f"{name}={found}: expected two ports from 1 to 65535, for example {name}={default}.")
    return range(first, last + 1)


def networks(name: str) -> list[str]:
    for word in words(name):
        try:
            ip_network(word)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}={word}: {error}. Expected networks such as 192.168.7.0/24.") from None
    return words(name)


def host(name: str) -> str:
    """One name of a host, as bots are told it: a scheme or a path would lead them nowhere."""
    found = text(name)
    try:
        if found and not (urlsplit(f"//{found}").hostname and re.fullmatch(r"[^\s/,]+", found)):
            raise ValueError(found)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={found}: expected a name such as arena.example.org.") from None
    return found


def hosts(name: str, default: str) -> list[str]:
    """Names of hosts, as Django wants them: one with a scheme or a path would be that of no request."""
    if wrong := [word for word in words(name, default) if "/" in word]:
        raise ImproperlyConfigured(f"{name}={wrong[0]}: expected names of hosts, such as arena.example.org.")
    return words(name, default)


def origins(name: str) -> list[str]:
    """Addresses with their scheme, without which Django would refuse every form that comes from there."""
    if wrong := [word for word in words(name) if not word.startswith(("https://", "http://"))]:
        raise ImproperlyConfigured(f"{name}={wrong[0]}: expected addresses such as https://arena.example.org.")
    return words(name)


def address(name: str) -> str:
    """`https://arena.example.org`, without a path; on this machine http as well."""
    found = text(name).rstrip("/")
    try:
        said = urlsplit(found)
        fits = said.hostname and not (said.path or said.query or said.fragment or said.username)
        fits = fits and (said.scheme == "https" or (said.scheme == "http" and said.hostname in HERE))
        if found and not (fits and (said.port is None or said.port)):
            raise ValueError(found)
    except ValueError:
        example = f"{name}=https://arena.example.org"
        raise ImproperlyConfigured(f"{name}={found}: expected an address with https, for example {example}.") from None
    return found


def pair(name: str, default: str, expected: str) -> tuple[float, float]:
    """Two numbers that are not negative, `600,20`."""
    found = text(name, default)
    try:
        first, second = (float(part) for part in found.split(","))
        if not (0 <= first < 1e12 and 0 <= second < 1e12):
            raise ValueError(found)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={found}: expected {expected}, for example {name}={default}.") from None
    return first, second


def rate(name: str, default: str) -> Rate:
    return Rate(*pair(name, default, "how many at once and how many a second after that"))


def share(name: str, default: str) -> tuple[int, int]:
    most, each = pair(name, default, "how many for all and how many for one address, 0 for no limit")
    return int(most), int(each)
