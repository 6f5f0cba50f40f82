from __future__ import annotations

from collections import Counter
from http.cookies import SimpleCookie
from typing import Any

import pytest
from asgiref.sync import SyncToAsync, sync_to_async
from django.contrib import messages
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client

from arena.host import Host
from arena.web.on_loop import Messages, Sessions
from tests.kit.browsing import Person, text


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What has been handed to a thread, and how often."""
    found: Counter[str] = Counter()
    handler = SyncToAsync.thread_handler

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        found[getattr(self.func, "__qualname__", str(self.func))] += 1
        return handler(self, *args, **kwargs)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(SyncToAsync, "thread_handler", counted)
    return found


async def test_a_page_is_answered_without_a_thread_but_for_rows_and_for_compressing(
    host: Host, threads: Counter[str]
) -> None:
    visitor = Person()
    assert "Connect Four" in text(await visitor.get("/"))
    threads.clear()
    await visitor.get("/")
    assert [name for name in threads if ".process_" in name] == ["PagesCompressed.process_response"]
    assert not any("inner" in name for name in threads), "no thread waits for the rest of the page"


@pytest.mark.parametrize(
    "host_name, scheme, told",
    [("192.168.1.20:8000", "http", False), ("localhost:8000", "http", True), ("192.168.1.20", "https", True)],
)
def test_browsers_are_told_of_other_windows_only_where_they_listen(
    settings: Any, host_name: str, scheme: str, told: bool
) -> None:
    """Elsewhere each page would leave an error in the console."""
    settings.ALLOWED_HOSTS = ["*"]
    answer = Client(headers={"host": host_name}).get("/no/such/page/", secure=scheme == "https")
    assert answer.status_code == 404 and answer.has_header("Cross-Origin-Opener-Policy") is told


async def test_a_form_is_read_in_a_thread_and_one_without_a_token_is_refused_in_words(
    host: Host, threads: Counter[str]
) -> None:
    answer = await Person(enforce_csrf_checks=True).post("/r/new/", variant="connect-four-7x6")
    assert answer.status_code == 403 and "Your browser sent no cookie" in text(answer)
    assert threads["CsrfViewMiddleware.process_view"] == 1


async def test_a_session_that_was_changed_is_stored_and_one_that_was_read_is_not(
    host: Host, threads: Counter[str]
) -> None:
    account = await User.objects.acreate_user("ada", password="a good one")
    person = Person()
    await person.client.aforce_login(account)
    threads.clear()
    assert "ada" in text(await person.get("/"))
    assert threads["Sessions.process_response"] == 0
    await person.post("/logout/")
    assert threads["Sessions.process_response"] == 1
    assert "ada" not in text(await person.get("/"))


async def test_who_a_visitor_is_is_read_once_and_in_one_thread(
    host: Host, threads: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[int] = Counter()
    get_user = ModelBackend.get_user

    def counted(self: ModelBackend, number: int) -> Any:
        asked[number] += 1
        return get_user(self, number)

    monkeypatch.setattr(ModelBackend, "get_user", counted)
    account = await User.objects.acreate_superuser("root", password="a good one")
    person = Person()
    await person.client.aforce_login(account)
    for page in ("/settings/", "/admin/arena/match/"):  # one asks on the loop, the other in a thread
        threads.clear()
        asked.clear()
        assert "root" in text(await person.get(page))
        assert (threads["_found"], asked) == (1, {account.pk: 1}), page
    threads.clear()
    await Person().get("/")
    assert threads["_found"] == 0, "who has no session is nobody"


async def test_only_who_ends_a_session_takes_its_cookie_away(host: Host) -> None:
    """What a page asked for with the cookie that a login has replaced may be answered after the login."""
    visitor, late = Person(), Person()
    await visitor.post("/play/", variant="connect-four-7x6", move="4")
    late.client.cookies = SimpleCookie(visitor.client.cookies.output(header="", sep=";"))
    await visitor.post("/signup/", name="Ada", password="correct horse battery")
    answer = await late.get("/")
    assert "sessionid" not in answer.cookies and "Cookie" in answer["Vary"]
    answer = await visitor.post("/logout/")
    assert answer.cookies["sessionid"].value == ""


async def test_a_message_too_long_for_a_cookie_waits_in_the_session(transactional_db: None) -> None:
    """And is said by the next page, only once."""
    long = " ".join(map(str, range(5_000)))  # a cookie holds 2 KB, compressed
    said: list[str] = []

    def say(request: HttpRequest) -> HttpResponse:
        messages.info(request, long)
        return HttpResponse()

    def read(request: HttpRequest) -> HttpResponse:
        said.extend(str(each) for each in messages.get_messages(request))
        return HttpResponse()

    kept: SimpleCookie = SimpleCookie()
    for view in (say, read, read):
        request = HttpRequest()
        request.COOKIES.update({name: each.value for name, each in kept.items()})
        answer = await Sessions(Messages(sync_to_async(view)))(request)  # type: ignore[misc]
        kept.update(answer.cookies)
    assert said == [long]
