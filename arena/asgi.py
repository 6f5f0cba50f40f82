"""What the server runs: Django for pages, consumers for websockets."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402 - consumers import models, which need Django set up

from arena.routing import websockets  # noqa: E402
from arena.web.host_names import Request  # noqa: E402

pages.request_class = Request

application = ProtocolTypeRouter({"http": pages, "websocket": websockets})
