"""Pages are sent compressed; Django adds random bytes, so that their length reveals nothing about secrets in them."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.utils.cache import patch_vary_headers

COMPRESSED = ("text/html", "application/json", "application/atom+xml")
AS_GZIP = 16 + zlib.MAX_WBITS


class PagesCompressed(GZipMiddleware):
    """Whole pages and answers for programs. Streams, which are read line by line, would be held back until a block is
    full; one that is `bulk` has an end and is not waited for.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if getattr(response, "bulk", False):
            _compress(request, response)
            return response
        if response.streaming or not response.get("Content-Type", "").startswith(COMPRESSED):
            return response
        return super().process_response(request, response)


def _compress(request: HttpRequest, response: Any) -> None:
    """As one gzip file: Django makes one of each part of a stream, and curl and browsers read only the first."""
    patch_vary_headers(response, ("Accept-Encoding",))
    if response.streaming and re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response.streaming_content = _packed(response.streaming_content)
        response["Content-Encoding"] = "gzip"


async def _packed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(wbits=AS_GZIP)
    async for part in parts:
        if packed := packer.compress(part):
            yield packed
    yield packer.flush()
