"""`/work/programs/<sha256>`: the files of a program, only for the worker that has a run with it."""

from __future__ import annotations

import re
import secrets

from asgiref.sync import sync_to_async
from django.http import FileResponse, HttpRequest, HttpResponse

from arena.bots.process.programs import packed_of
from arena.models import Work
from arena.web.privacy import keep_private
from arena.web.views import view

SHOWN = re.compile(r"Run ([1-9][0-9]{0,17})\.([1-9][0-9]{0,8})\.([0-9a-f-]{36})")
REFUSED = "expected the header `Authorization: Run WORK.TOKEN.SECRET` of a run that is out and plays this program"


@view("GET", hosted=False)  # type: ignore[arg-type]  # streamed
async def program(request: HttpRequest, sha256: str) -> HttpResponse | FileResponse:
    keep_private(request)
    slug = await sync_to_async(_whose)(request.headers.get("Authorization", ""), sha256)
    if slug is None:
        return HttpResponse(f"{REFUSED}\n", "text/plain", 403)
    try:
        file = packed_of(slug, sha256).open("rb")
    except OSError:
        return HttpResponse("this program is not kept here any more\n", "text/plain", 404)
    return FileResponse(file, content_type="application/x-tar")


def _whose(shown: str, sha256: str) -> str | None:
    """The bot that has this program, if the run in the request plays it."""
    said = SHOWN.fullmatch(shown)
    if said is None:
        return None
    work, token, secret = said.groups()
    row = Work.objects.filter(pk=int(work), token=int(token), state=Work.State.OUT).first()
    if row is None or not row.secret or not secrets.compare_digest(row.secret, secret):
        return None
    known = (row.job or {}).get("programs", {}).get(sha256)
    return known["of"] if known else None
