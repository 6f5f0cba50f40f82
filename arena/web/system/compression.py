"""Pages are sent compressed; Django adds random bytes, so that their length reveals nothing about secrets in them."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

COMPRESSED = ("text/html", "application/json", "application/atom+xml")


class PagesCompressed(GZipMiddleware):
    """Whole pages and answers for programs. Streams, which are read line by line, would be held back until a block is
    full; one that is `bulk` has an end and is not waited for.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        whole = not response.streaming and response.get("Content-Type", "").startswith(COMPRESSED)
        if not whole and not getattr(response, "bulk", False):
            return response
        return super().process_response(request, response)
