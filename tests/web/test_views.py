"""What every page shares: methods, refusals, errors in words, and what a browser may load."""

from __future__ import annotations

import html
import logging
import re
from io import BytesIO

import pytest
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings
from django.urls import path

from arena.cluster.front import MAYBE_DONE, NOT_DONE, NOT_PASSED_ON
from arena.host import Host
from arena.match.commands import Refusal
from arena.urls import handler400, handler403, handler404, handler500
from arena.web.views import STATUS, TITLES, csrf_failed, forbidden, not_found, view
from tests.kit.browsing import HTMX, Person, text

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


@view("GET")
async def refuses(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    raise Refusal(code, "Nothing <b>was</b> done.")


@view("GET")
async def breaks(request: HttpRequest, host: Host, **about: str) -> HttpResponse:
    raise RuntimeError("a secret of ours")


@view("GET")
async def refuses_as_told(request: HttpRequest, host: Host, **about: str) -> HttpResponse:
    raise Refusal(request.headers["code"], "Nothing was done.")


urlpatterns = [
    path("refuses/<str:code>/", refuses),
    path("breaks/", breaks),
    path("m/<str:match>/breaks/", breaks),
    path("m/<str:match>/refuses/", refuses_as_told),
    path("r/<str:code>/refuses/", refuses_as_told),
]


async def test_a_process_that_is_no_host_says_so(transactional_db: None) -> None:
    answer = await Person().get("/")
    assert answer.status_code == 503 and "This page tries again every few seconds." in text(answer)
    assert answer["Refresh"] == "5"
    answer = await Person().post("/m/7gk3mzrq2x/resign/")
    assert answer.status_code == 503 and "Try again in a moment." in text(answer)
    assert "Refresh" not in answer, "a form is never sent again by itself"
    over_a_front = ASGIRequest(
        {"type": "http", "method": "GET", "path": "/watch/", "headers": [], NOT_DONE: "/m/7gk3mzrq2x/move/"}, BytesIO()
    )
    answer = await refuses(over_a_front, code="x")
    assert answer.status_code == 503 and b"Try again in a moment." in answer.content
    assert "Refresh" not in answer


async def test_the_log_names_what_a_front_could_not_pass_on_and_not_the_page_that_it_asks_instead(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scope = {"type": "http", "method": "GET", "path": "/watch/", "headers": [(b"host", b"testserver")]}
    request = ASGIRequest({**scope, NOT_PASSED_ON: "POST /m/7gk3mzrq2x/move/"}, BytesIO())
    answer = await ASGIHandler().get_response_async(request)
    assert answer.status_code == 503
    said = [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert said == ["POST /m/7gk3mzrq2x/move/ could not be passed on to the host"]


async def test_a_front_that_has_become_the_host_meanwhile_still_says_that_nothing_was_done(host: Host) -> None:
    scope = {"type": "http", "method": "GET", "path": "/watch/", "headers": [(b"host", b"testserver")]}
    act = {NOT_PASSED_ON: "POST /m/7gk3mzrq2x/move/", NOT_DONE: "/m/7gk3mzrq2x/move/"}
    answer = await ASGIHandler().get_response_async(ASGIRequest({**scope, **act}, BytesIO()))
    assert answer.status_code == 503 and isinstance(answer, HttpResponse) and b"in a moment." in answer.content
    answer = await ASGIHandler().get_response_async(ASGIRequest(scope, BytesIO()))
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("referer", "looks"),
    [("http://testserver/admin/claim/", "5; url=/admin/claim/"), ("http://elsewhere/admin/claim/", ""), ("", "")],
)
async def test_an_act_whose_answer_was_lost_may_have_been_done_and_its_page_looks(referer: str, looks: str) -> None:
    scope = {"type": "http", "method": "GET", "path": "/watch/", "headers": [], MAYBE_DONE: "/m/7gk3mzrq2x/move/"}
    headers = [(b"host", b"testserver"), *([(b"referer", referer.encode())] if referer else [])]
    request = ASGIRequest({**scope, "headers": headers}, BytesIO())
    answer = await refuses(request, code="x")
    assert answer.status_code == 503
    said = answer.content.decode()
    assert "may have been carried out: check before you repeat it" in said and 'href="/m/7gk3mzrq2x/"' in said
    assert answer.headers.get("Refresh", "") == looks


@override_settings(ROOT_URLCONF=__name__)
async def test_a_refusal_becomes_a_page_with_its_status_and_its_sentence_escaped(host: Host) -> None:
    for code in (*STATUS, "some_other_conflict"):
        answer = await Person().get(f"/refuses/{code}/")
        assert answer.status_code == STATUS.get(code, 409), code
        assert "Nothing &lt;b&gt;was&lt;/b&gt; done." in text(answer), code
        assert html.escape(str(TITLES[answer.status_code])) in text(answer), code


@override_settings(ROOT_URLCONF=__name__)
async def test_a_refusal_of_a_request_in_place_is_a_fragment(host: Host) -> None:
    answer = await Person().get("/refuses/busy/", **HTMX)
    assert answer.status_code == 503 and "<html" not in text(answer)
    assert "Nothing &lt;b&gt;was&lt;/b&gt; done." in text(answer)


@override_settings(ROOT_URLCONF=__name__)
async def test_a_defect_of_ours_is_500_with_a_number_that_the_log_knows(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    person = Person(raise_request_exception=False)
    with caplog.at_level(logging.ERROR):
        answer = await person.get("/breaks/?a=b&c")
    assert answer.status_code == 500
    assert "tell whoever runs this server" in text(answer) and "secret" not in text(answer)
    assert '<a class="btn primary" href="/breaks/?a=b&amp;c">Load it again</a>' in text(answer)
    number = next(
        record.args[0]
        for record in caplog.records
        if isinstance(record.args, tuple) and record.args and record.name == "arena.web"
    )
    assert f"Id <code>{number}</code>" in text(answer)
    assert str(number) in text(answer)


@override_settings(ROOT_URLCONF=__name__)
async def test_where_a_match_is_shown_a_failure_says_that_it_is_safe(host: Host) -> None:
    answer = await Person(raise_request_exception=False).get("/m/abc/breaks/")
    assert answer.status_code == 500 and "Your match is safe" in text(answer)
    assert '<a class="btn primary" href="/m/abc/">Back to the match</a>' in text(answer)


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/signup/?next=/", '<a class="btn primary" href="/signup/">Back to the form</a>'),
        ("http://testserver//evil.test/", '<a class="btn primary" href="/%2Fevil.test/">Back to the form</a>'),
        ("http://evil.test/signup/", '<a class="btn primary" href="/">Back to the boards</a>'),
        ("", '<a class="btn primary" href="/">Back to the boards</a>'),
    ],
)
def test_a_form_that_can_no_longer_be_sent_has_a_way_back_to_its_page(referer: str, back: str) -> None:
    answer = csrf_failed(RequestFactory().post("/signup/", headers={"referer": referer} if referer else {}))
    assert answer.status_code == 403 and back in text(answer)


@pytest.mark.parametrize(
    ("cookies", "words"), [("", "blocks the cookies of this site"), ("csrftoken=old", "in another tab")]
)
async def test_a_form_without_any_cookie_is_told_what_it_lacks(host: Host, cookies: str, words: str) -> None:
    answer = await Person(enforce_csrf_checks=True).post("/play/", {"Cookie": cookies}, move="4")
    assert answer.status_code == 403 and words in text(answer)


async def test_an_unknown_address_is_404_in_words(host: Host) -> None:
    answer = await Person().get("/nothing/here/")
    assert answer.status_code == 404 and "begin again from the boards" in text(answer)


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("code", "path", "back"),
    [
        ("private", "/m/abc/refuses/", '<a class="btn primary" href="/m/abc/">Back to the match</a>'),
        ("closed", "/r/otter-7/refuses/", '<a class="btn primary" href="/r/otter-7/">Back to the room</a>'),
        ("not_found", "/m/abc/refuses/", '<a class="btn primary" href="/">Back to the boards</a>'),
        ("busy", "/refuses/busy/", '<a class="btn primary" href="/">Back to the boards</a>'),
    ],
)
async def test_an_error_has_a_way_back_and_a_number(host: Host, code: str, path: str, back: str) -> None:
    answer = await Person().get(path, code=code)
    assert answer.status_code == STATUS[code] and back in text(answer)
    assert re.search(r"Id <code>[0-9a-f]{8}</code>", text(answer))


async def test_a_host_that_is_not_ours_is_400_in_words(host: Host) -> None:
    answer = await Person().get("/", Host="evil.test")
    assert answer.status_code == 400 and "Nothing was done" in text(answer)


def no_context(request: HttpRequest) -> dict[str, object]:
    raise LookupError("no page can be made")


def test_an_error_page_that_fails_is_said_in_plain_text(caplog: pytest.LogCaptureFixture) -> None:
    processors = {"context_processors": [f"{__name__}.no_context"]}
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": processors}
    with override_settings(TEMPLATES=[engine]):
        answer = forbidden(RequestFactory().get("/"), Exception())
    assert answer.status_code == 403 and answer["Content-Type"] == "text/plain; charset=utf-8"
    assert "If a room is private, ask for its link." in text(answer)
    assert text(answer).splitlines()[-1].removeprefix("Id ") in caplog.text


@pytest.mark.parametrize("target", ["x", "*", ""])
def test_an_address_without_a_slash_has_an_error_page(target: str) -> None:
    request = RequestFactory().get("/")
    request.path = request.path_info = target
    assert "There is no such page" in text(not_found(request, Http404()))


def test_what_is_forbidden_is_said_in_words() -> None:
    answer = forbidden(RequestFactory().get("/"), PermissionError())
    assert answer.status_code == 403 and "ask for its link" in text(answer)


async def test_head_is_answered_where_get_is(host: Host) -> None:
    assert (await Person().client.head("/")).status_code == 200


async def test_pages_allow_no_script_or_style_but_ours(host: Host) -> None:
    answer = await Person().get("/")
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy and "default-src 'self'" in policy
    for inline in ("<style", "style=", "onclick=", "<script>"):
        assert inline not in text(answer)


async def test_a_program_is_told_in_json_that_its_act_may_have_been_done() -> None:
    scope = {"type": "http", "method": "GET", "path": "/watch/", MAYBE_DONE: "/api/v1/rooms/"}
    request = ASGIRequest({**scope, "headers": [(b"host", b"testserver")]}, BytesIO())
    answer = await refuses(request, code="x")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/json")
    assert '"maybe_done"' in answer.content.decode()
