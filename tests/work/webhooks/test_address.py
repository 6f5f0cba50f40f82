"""Where a webhook may lead: what can be written, and which networks are refused."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from arena.work.webhooks.address import LONGEST, HttpsAddress, WrongAddress, is_allowed, read


@pytest.mark.parametrize(
    ("url", "expected", "receiver"),
    [
        ("https://example.org", HttpsAddress("example.org", 443, "/"), "example.org"),
        (
            "HTTPS://Bots.Example.ORG:8443/a?b=c",
            HttpsAddress("bots.example.org", 8443, "/a?b=c"),
            "bots.example.org:8443",
        ),
        ("https://192.0.2.1/x", HttpsAddress("192.0.2.1", 443, "/x"), "192.0.2.1"),
        ("https://[2001:db8::1]:444/", HttpsAddress("2001:db8::1", 444, "/"), "[2001:db8::1]:444"),
        (
            "https://xn--bcher-kva.example/?q",
            HttpsAddress("xn--bcher-kva.example", 443, "/?q"),
            "xn--bcher-kva.example",
        ),
    ],
)
def test_an_address_is_read(url: str, expected: HttpsAddress, receiver: str) -> None:
    assert read(url) == expected and read(url).receiver == receiver


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "Received 0 characters"),
        ("https://example.org/" + "x" * LONGEST, "expected at most 500"),
        ("http://example.org/", "expected an address that begins with https://"),
        ("ftp://example.org/", "https://"),
        ("//example.org/", "https://"),
        ("https://mira:secret@example.org/", "expected none: messages are signed"),
        ("https://example.org/#part", "after #"),
        ("https://example.org:0/", "Received port 0"),
        ("https://example.org:99999/", "cannot be read"),
        ("https://example.org:port/", "cannot be read"),
        ("https:///path", "Received the host ''"),
        ("https://exa mple.org/", "signs of ASCII"),
        ("https://example.org/\r\nHost:x", "signs of ASCII"),
        ("https://b\u00fccher.example/", "xn--"),
        ("https://-a-.org/", "Received the host"),
        ("https://2130706433/", "Received the host"),
        ("https://127.1/", "Received the host"),
        ("https://[::1/", "cannot be read"),
        ("https://a..b/", "Received the host"),
    ],
)
def test_what_cannot_be_one_is_refused_in_words(url: str, says: str) -> None:
    with pytest.raises(WrongAddress) as why:
        read(url)
    assert says in str(why.value)


PUBLIC = ("8.8.8.8", "1.1.1.1", "2606:4700::1111")
PRIVATE = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    # IPv4 inside of IPv6: mapped, compatible, translated, 6to4, Teredo.
    *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::"),
)


def test_only_public_addresses_are_allowed() -> None:
    assert [address for address in PUBLIC if not is_allowed(address, ())] == []
    assert [address for address in PRIVATE if is_allowed(address, ())] == []


def test_a_network_may_be_allowed_and_no_other_with_it() -> None:
    networks = [ip_network("10.20.0.0/16"), ip_network("fd12::/16")]
    allowed = ("10.20.3.4", "::ffff:10.20.3.4", "fd12::5")
    assert [address for address in allowed if not is_allowed(address, networks)] == []
    assert [address for address in ("10.21.0.1", "127.0.0.1", "fd13::1") if is_allowed(address, networks)] == []
