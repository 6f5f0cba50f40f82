"""Every address of Arena."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from arena.admin import control, drain, finding, login, machines
from arena.web.analysis import analysis_board, play_on
from arena.web.api import atom
from arena.web.api.routes import ROUTES as API
from arena.web.bots import bots, forms, programs, regressions, tools, wizard
from arena.web.library import about, archive, games, protocols
from arena.web.lobby import feature, home, offline, watch
from arena.web.match import chat, decide, embedded, logs, matches, moves, position_values, reactions, way_back, wire
from arena.web.people import access_tokens, accounts, claim, profile, rank, rename, settings_page, webhooks
from arena.web.puzzles import mistakes, puzzles
from arena.web.room import challenging, inviting, rematch, rooms
from arena.web.system import health, metrics, static_files
from arena.web.tournaments import actions, new, tournaments

admin.autodiscover()

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home),
    path("static/<slug:number>/<path:name>", static_files.of_another_version),
    path("play/", home.play),
    path("play/here/", home.at_one_screen),
    path("watch/", watch.watch),
    path("watch/projector/", watch.projector),
    path("matches/", archive.archive),
    path("matches/feed.atom", atom.matches),
    path("puzzles/", puzzles.index),
    path("puzzles/daily/", puzzles.daily),
    path("puzzles/next/", puzzles.next_one),
    path("puzzles/<int:number>/", puzzles.puzzle),
    path("mistakes/", mistakes.index),
    path("mistakes/<int:number>/", mistakes.mistake),
    path("m/<slug:match>/", matches.match),
    path("m/<slug:match>/board/", matches.board),
    path("m/<slug:match>/back/", way_back.end),
    path("m/<slug:match>/back/<str:token>/", way_back.way_back),
    path("m/<slug:match>/card.png", inviting.picture_of_match),
    path("m/<slug:match>/live/", matches.resync),
    path("m/<slug:match>/embed/", embedded.embedded),
    path("m/<slug:match>/move/", moves.move),
    path("m/<slug:match>/resign/", moves.resign),
    path("m/<slug:match>/abort/", moves.abort),
    path("m/<slug:match>/offer/", moves.offer),
    path("m/<slug:match>/react/", reactions.react),
    path("m/<slug:match>/chat/", chat.chat),
    path("m/<slug:match>/rematch/", rematch.rematch),
    path("m/<slug:match>/decide/", decide.decide),
    path("m/<slug:match>/feature/", feature.feature),
    path("m/<slug:match>/analysis/", analysis_board.board),
    path("m/<slug:match>/analysis/play/", play_on.play),
    path("m/<slug:match>/log.json", logs.as_json),
    path("m/<slug:match>/log.txt", logs.as_text),
    path("m/<slug:match>/record.jsonl", logs.as_record),
    path("m/<slug:match>/black-box.jsonl", wire.as_black_box),
    path("m/<slug:match>/wire/<int:seat>.jsonl", wire.as_jsonl),
    path("m/<slug:match>/wire/<int:seat>.txt", wire.as_text),
    path("m/<slug:match>/wire/<int:seat>/", wire.rows),
    path("m/<slug:match>/why/<int:seat>/", matches.why),
    path("r/new/", rooms.new),
    path("r/friend/", inviting.friend),
    path("r/<str:code>/", rooms.room),
    path("r/<str:code>/state/", rooms.state),
    path("r/<str:code>/sit/", rooms.sit),
    path("r/<str:code>/settings/", inviting.settings),
    path("r/<str:code>/card.png", inviting.picture),
    path("r/<str:code>/leave/", rooms.leave),
    path("r/<str:code>/change/<int:side>/", rooms.change),
    path("r/<str:code>/connect/<int:side>/", wizard.listen),
    path("r/<str:code>/connect/<int:side>/state/", wizard.state),
    path("bots/connect/", wizard.connect),
    path("login/", accounts.login),
    path("login/code/", accounts.code),
    path("signup/", accounts.signup),
    path("logout/", accounts.log_out),
    path("settings/", settings_page.settings),
    path("settings/one/", settings_page.one),
    path("settings/name/", rename.name),
    path("settings/unmute/", settings_page.unmute),
    path("settings/password/", settings_page.password),
    path("settings/tokens/", access_tokens.index),
    path("settings/tokens/revoke/", access_tokens.revoke),
    path("settings/webhooks/", webhooks.index),
    path("settings/webhooks/do/", webhooks.act),
    path("rank/", rank.index),
    path("rank/<slug:variant>/", rank.rank),
    path("t/", tournaments.index),
    path("t/feed.atom", atom.tournaments),
    path("t/new/", new.new),
    path("t/sample/", new.make_sample),
    path("t/<str:slug>/", tournaments.tournament),
    path("t/<str:slug>/<int:a>/<int:b>/", tournaments.encounter),
    path("t/<str:slug>/do/<slug:name>/", actions.act),
    path("t/<str:slug>/enter/", actions.enter),
    path("t/<str:slug>/withdraw/", actions.withdraw),
    path("t/<str:slug>/seeds/", actions.seeds),
    path("t/<str:slug>/again/", actions.again),
    path("t/<str:slug>/award/", actions.award),
    path("t/<str:slug>/projector/", tournaments.projector),
    path("t/<str:slug>/crosstable/", tournaments.crosstable),
    path("t/<str:slug>/results.atom", atom.results),
    path("t/<str:slug>/all.json", tournaments.as_json),
    path("t/<str:slug>/table.csv", tournaments.table_csv),
    path("t/<str:slug>/pairings.csv", tournaments.pairings_csv),
    path("me/", profile.me),
    path("@/<str:slug>/", profile.profile),
    path("@/<str:slug>/challenge/", challenging.make),
    path("challenges/<str:code>/<slug:what>/", challenging.act),
    path("bots/", bots.bots),
    path("bots/new/", forms.new),
    path("bots/<str:slug>/", bots.bot),
    path("bots/<str:slug>/mistakes.json", regressions.as_json),
    path("bots/<str:slug>/edit/", forms.edit),
    path("bots/<str:slug>/version/", forms.version),
    path("bots/<str:slug>/token/", tools.new_token),
    path("bots/<str:slug>/revoke/", tools.revoke),
    path("bots/<str:slug>/port/", tools.port),
    path("bots/<str:slug>/retire/", tools.retire),
    path("bots/<str:slug>/enable/", tools.enable),
    path("work/programs/<slug:sha256>", programs.program),
    path("protocols/", protocols.index),
    path("protocols/errors/", protocols.errors),
    path("protocols/<slug:slug>/", protocols.protocol),
    path("samples/<str:name>", protocols.sample),
    path("about/", about.about),
    path("games/", games.index),
    path("games/<slug:slug>/", games.game),
    path("api/v1/", include(API)),
    path("api/", include(API)),
    path("analysis/<slug:variant>/values/", position_values.values),
    path("offline/", offline.offline),
    path("sw.js", offline.service_worker),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", metrics.metrics),
    path("admin/claim/", claim.claim),
    path("admin/login/", login.login),
    path("admin/password_change/", RedirectView.as_view(url="/settings/password/")),
    path("admin/drain/", admin.site.admin_view(drain.drain), name="admin-drain"),
    path("admin/machines/", machines.machines, name="admin-machines"),
    path("admin/live/", control.live, name="admin-live"),
    path("admin/search/", admin.site.admin_view(finding.find), name="admin-search"),
    path("admin/", admin.site.urls),
]
handler400 = "arena.web.views.bad_request"
handler403 = "arena.web.views.forbidden"
handler404 = "arena.web.views.not_found"
handler500 = "arena.web.views.failed"
