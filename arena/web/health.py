"""Whether this process serves: for those who watch over it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from arena.host import NoHost, here


async def healthz(request: HttpRequest) -> HttpResponse:
    """200 and `ok`, or 503 and why not."""
    try:
        failing = here().ledger.failing
    except NoHost as why:
        return HttpResponse(f"{why}\n", status=503, content_type="text/plain")
    if failing:
        return HttpResponse("the log cannot be written: storage fails\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
