"""Every address of Arena."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from arena.web import (
    accounts,
    bot_forms,
    bot_tools,
    bots,
    claim,
    health,
    home,
    logs,
    matches,
    moves,
    profile,
    protocols,
    rank,
    rooms,
    settings_page,
    watch,
    wire,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home),
    path("play/", home.play),
    path("watch/", watch.watch),
    path("m/<slug:match>/", matches.match),
    path("m/<slug:match>/board/", matches.board),
    path("m/<slug:match>/live/", matches.resync),
    path("m/<slug:match>/move/", moves.move),
    path("m/<slug:match>/resign/", moves.resign),
    path("m/<slug:match>/abort/", moves.abort),
    path("m/<slug:match>/rematch/", moves.rematch),
    path("m/<slug:match>/log.json", logs.as_json),
    path("m/<slug:match>/log.txt", logs.as_text),
    path("m/<slug:match>/wire/<int:seat>.jsonl", wire.as_jsonl),
    path("m/<slug:match>/wire/<int:seat>.txt", wire.as_text),
    path("m/<slug:match>/wire/<int:seat>/", wire.rows),
    path("r/new/", rooms.new),
    path("r/<str:code>/", rooms.room),
    path("r/<str:code>/state/", rooms.state),
    path("r/<str:code>/sit/", rooms.sit),
    path("r/<str:code>/leave/", rooms.leave),
    path("login/", accounts.login),
    path("login/code/", accounts.code),
    path("signup/", accounts.signup),
    path("logout/", accounts.log_out),
    path("settings/", settings_page.settings),
    path("settings/one/", settings_page.one),
    path("settings/password/", settings_page.password),
    path("rank/", rank.index),
    path("rank/<slug:variant>/", rank.rank),
    path("me/", profile.me),
    path("@/<str:slug>/", profile.profile),
    path("bots/", bots.bots),
    path("bots/new/", bot_forms.new),
    path("bots/<str:slug>/", bots.bot),
    path("bots/<str:slug>/edit/", bot_forms.edit),
    path("bots/<str:slug>/version/", bot_forms.version),
    path("bots/<str:slug>/token/", bot_tools.new_token),
    path("bots/<str:slug>/revoke/", bot_tools.revoke),
    path("bots/<str:slug>/port/", bot_tools.port),
    path("bots/<str:slug>/retire/", bot_tools.retire),
    path("bots/<str:slug>/enable/", bot_tools.enable),
    path("protocols/", protocols.index),
    path("protocols/errors/", protocols.errors),
    path("protocols/<slug:slug>/", protocols.protocol),
    path("samples/<str:name>", protocols.sample),
    path("healthz", health.healthz),
    path("admin/claim/", claim.claim),
    path("admin/", admin.site.urls),
]
handler400 = "arena.web.views.bad_request"
handler403 = "arena.web.views.forbidden"
handler404 = "arena.web.views.not_found"
handler500 = "arena.web.views.failed"
