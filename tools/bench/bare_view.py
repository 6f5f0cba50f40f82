"""Django with one view and nothing around it: what `admin.py` compares pages with.

`python -m daphne tools.bench.bare_view:application` serves it. It has no middleware, template, session or database.
"""

from __future__ import annotations

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="bare", MIDDLEWARE=[])


async def view(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a bare view\n")


urlpatterns = [path("", view)]
application = get_asgi_application()
