"""Whether this process serves: for those who watch over it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from arena.host import NoHost, here
from arena.roles import front_of


async def healthz(request: HttpRequest) -> HttpResponse:
    """200 and `ok`, or 503 and why not."""
    host = front_of()
    if host is not None:
        words, status = (f"ok, a front of {host}\n", 200) if host else ("a front without a host\n", 503)
        return HttpResponse(words, status=status, content_type="text/plain")
    try:
        failing = here().ledger.failing
    except NoHost as why:
        return HttpResponse(f"{why}\n", status=503, content_type="text/plain")
    if failing:
        return HttpResponse("the log cannot be written: storage fails\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
