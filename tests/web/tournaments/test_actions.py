"""What organisers and players do with a tournament on its pages, and who may: every address, asked by everybody."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import unescape
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.utils import timezone

from arena.bots.session import tokens
from arena.host import Host
from arena.models import Audit, Entry, Match, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.spec import Conditions, EntrySpec
from tests.kit.browsing import Person, flowing, text
from tests.kit.history import a_bot
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins, finished
from tests.tournaments.rows import result
from tests.web.markup import words as words_in
from tests.web.people.test_accounts import a_guest
from tests.web.test_who_may import known, stranger

WHO = ("nobody", "guest", "other", "owner", "staff", "superuser")
# Status by who asks, in the order of WHO. In a draft everything is hidden from those who do not run it.
LOOKS = {
    "/t/": (200, 200, 200, 200, 200, 200),
    "/t/new/": (302, 302, 200, 200, 200, 200),
    "/t/none/": (404, 404, 404, 404, 404, 404),
    "/t/cup/?tie-break=wins": (200, 200, 200, 200, 200, 200),
    "/t/cup/crosstable/": (200, 200, 200, 200, 200, 200),
    "/t/draft/crosstable/": (404, 404, 404, 200, 404, 200),
    "/t/cup/in-full/": (200, 200, 200, 200, 200, 200),
    "/t/draft/in-full/": (404, 404, 404, 200, 404, 200),
    "/t/draft/1/2/": (404, 404, 404, 200, 404, 200),
    "/t/cup/": (200, 200, 200, 200, 200, 200),
    "/t/draft/": (404, 404, 404, 200, 404, 200),
    "/t/cup/1/2/": (200, 200, 200, 200, 200, 200),
    "/t/cup/all.json": (200, 200, 200, 200, 200, 200),
    "/t/cup/table.csv": (200, 200, 200, 200, 200, 200),
    "/t/cup/pairings.csv": (200, 200, 200, 200, 200, 200),
    "/t/draft/all.json": (404, 404, 404, 200, 404, 200),
    "/t/cup/enter/": (302, 302, 409, 200, 409, 200),
    "/t/cup/withdraw/": (302, 302, 403, 200, 403, 200),
    "/t/cup/seeds/": (403, 403, 403, 200, 403, 200),
    "/t/cup/pairs/": (403, 403, 403, 200, 403, 200),
    "/t/draft/seeds/": (404, 404, 404, 200, 404, 200),
    "/t/cup/do/start/": (405, 405, 405, 405, 405, 405),
    "/t/cup/again/": (405, 405, 405, 405, 405, 405),
    "/t/cup/award/": (405, 405, 405, 405, 405, 405),
}
# Nothing of this can be done to a paused tournament with these fields: who may hears why, the others that they may not.
ACTS = {
    "/t/cup/do/start/": (403, 403, 403, 409, 403, 409),
    "/t/cup/do/gather/": (403, 403, 403, 409, 403, 409),
    "/t/cup/do/open/": (403, 403, 403, 409, 403, 409),
    "/t/cup/do/pause/": (403, 403, 403, 409, 403, 409),
    "/t/none/do/start/": (404, 404, 404, 404, 404, 404),
    "/t/cup/do/delete/": (403, 403, 403, 409, 403, 409),
    "/t/cup/do/nothing/": (404, 404, 404, 404, 404, 404),
    "/t/draft/do/pause/": (404, 404, 404, 409, 404, 409),
    "/t/new/": (302, 302, 422, 422, 422, 422),
    "/t/cup/again/": (403, 403, 403, 422, 403, 422),
    "/t/cup/award/": (403, 403, 403, 422, 403, 422),
    "/t/cup/withdraw/": (302, 302, 403, 422, 403, 422),
    "/t/cup/enter/": (302, 302, 409, 422, 409, 422),
}


async def made(name: str = "Cup", organiser: str = "mira", **values: Any) -> tuple[Tournament, Person]:
    """A waiting tournament and its organiser's browser."""
    person = await known(organiser)
    user = await User.objects.aget(username=organiser)
    spec = a_spec(values.pop("count", 2), name=name, **values)
    return await sync_to_async(actions.create)(spec, user, None, "waiting"), person


async def says(person: Person, path: str, **fields: Any) -> tuple[int, str]:
    answer = await person.post(path, **fields)
    return answer.status_code, unescape(text(answer))


async def entry_of(seed: int) -> str:
    """The number of the entry, as the forms have it."""
    return str((await Entry.objects.aget(seed=seed)).pk)


async def test_everybody_may_what_is_theirs_and_nothing_is_done(host: Host) -> None:
    tournament, owner = await made()
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    await sync_to_async(actions.create)(a_spec(2, name="Draft"), await User.objects.aget(username="mira"))
    comes: dict[str, Callable[[], Awaitable[Person]]] = {
        "nobody": stranger,
        "guest": lambda: a_guest(host),
        "other": lambda: known("noa"),
        "owner": lambda: stranger(owner),
        "staff": lambda: known("helper", is_staff=True),
        "superuser": lambda: known("root", is_staff=True, is_superuser=True),
    }
    before = await _rows()
    for n, who in enumerate(WHO):
        asking = await comes[who]()
        looks = {path: (await asking.get(path)).status_code for path in LOOKS}
        assert looks == {path: statuses[n] for path, statuses in LOOKS.items()}, who
        acts = {path: (await asking.post(path)).status_code for path in ACTS}
        assert acts == {path: statuses[n] for path, statuses in ACTS.items()}, who
        assert await _rows() == before, who


async def test_fields_that_no_form_has_change_nothing(host: Host) -> None:
    """Another organiser, a result, somebody else's place: what is not asked for is not read."""
    tournament, mira = await made()
    more = {"organiser": "1", "state": "finished", "settings": "{}", "forfeited_by": "a", "seed": "1", "player": "1"}
    bot = await a_bot(open_to="everyone")
    await mira.post("/t/cup/enter/", who=f"bot:{bot.pk}", name="better", agrees="on", **more)
    await mira.post("/t/cup/do/start/", **more)
    await mira.post("/t/cup/do/pause/", **more)
    pairing = await Pairing.objects.order_by("pk").afirst()
    assert pairing is not None
    await mira.post("/t/cup/award/", pairing=str(pairing.pk), to="drop", reason="ill", faults="9", match="m1", **more)
    await tournament.arefresh_from_db()
    await pairing.arefresh_from_db()
    entry = await Entry.objects.aget(player=bot.pk)
    assert (entry.seed, entry.name, entry.agrees) == (3, "gravity-9", False)
    assert (tournament.state, tournament.organiser_id is not None, tournament.settings["legs"]) == ("paused", True, 1)
    assert (pairing.state, pairing.faults, pairing.forfeited_by) == ("dropped", 0, "")


async def test_it_is_started_paused_resumed_and_played_with_the_buttons(host: Host) -> None:
    _, mira = await made(count=3)

    async def offered() -> list[str]:
        return re.findall(r'action="/t/cup/do/(\w+)/"', text(await mira.get("/t/cup/")))

    assert await offered() == ["start", "gather", "delete"]
    for name, then in (
        ("start", ["pause", "call"]),
        ("pause", ["resume"]),
        ("resume", ["pause", "call"]),
        ("call", []),
    ):
        assert (await mira.post(f"/t/cup/do/{name}/"))["Location"] == "/t/cup/"
        assert not then or await offered() in (then, ["publish"]), "and no others are in its source"
    await finished("cup")
    assert await offered() == ["publish"]
    assert "publishing it says that it is final." in text(await mira.get("/t/cup/"))
    done = {audit.act: audit.actor async for audit in Audit.objects.all()}
    assert done == dict.fromkeys([f"tournament {act}" for act in ("start", "pause", "resume", "call missing")], "mira")


async def test_of_two_who_start_it_the_later_one_hears_so(host: Host) -> None:
    _, mira = await made()
    root = await known("root", is_staff=True, is_superuser=True)
    assert (await mira.post("/t/cup/do/start/")).status_code == 302
    status, page = await says(root, "/t/cup/do/start/")
    assert status == 409 and "already" in page and "Back to the tournament" in page
    assert await Pairing.objects.acount() == 1


async def test_a_pairing_is_played_again_with_a_reason(host: Host) -> None:
    tournament, mira = await made()
    await sync_to_async(actions.start)(tournament)
    await finished("cup")
    old = await Pairing.objects.aget()
    assert (await says(mira, "/t/cup/again/", pairing=old.pk, reason=" "))[0] == 409
    answer = await mira.post("/t/cup/again/", pairing=old.pk, reason="the wrong bot")
    assert answer["Location"] in ("/t/cup/1/2/", "/t/cup/2/1/")
    await finished("cup")
    page = unescape(text(await mira.get("/t/cup/1/2/")))
    assert "replaced" in page and "the wrong bot" in page and "attempt 2" in page
    assert await Match.objects.acount() == 2


async def test_who_acts_on_a_pairing_that_somebody_has_replaced_is_told_so(host: Host) -> None:
    tournament, mira = await made()
    await sync_to_async(actions.start)(tournament)
    await finished("cup")
    old = await Pairing.objects.aget()
    await sync_to_async(actions.rerun)(old, "the wrong bot")
    for act, words in (("again", "it was replaced already"), ("award", "is being played or was replaced")):
        status, page = await says(mira, f"/t/cup/{act}/", pairing=old.pk, to="a", reason="the wrong bot")
        assert status == 409 and words in page
    assert await Pairing.objects.acount() == 2


async def test_what_nobody_can_play_is_decided_without_a_match(host: Host) -> None:
    tournament, mira = await made()
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    pairing = await Pairing.objects.aget()
    status, page = await says(mira, "/t/cup/award/", pairing=pairing.pk, to="nobody", reason="why not")
    assert status == 409 and "expected a, b, draw, both or drop" in page
    answer = await mira.post("/t/cup/award/", pairing=pairing.pk, to="b", reason="p1 is ill")
    assert answer.status_code == 302
    assert "p1 is ill" in text(await Person().get("/t/cup/1/2/"))
    again = await says(mira, "/t/cup/award/", pairing=pairing.pk, to="a", reason="no")
    assert again[0] == 409


async def test_withdrawing_says_first_what_it_does(host: Host) -> None:
    tournament, mira = await made(count=4)
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    pairing = await Pairing.objects.afirst()
    assert pairing is not None
    await sync_to_async(result)(pairing, "1-0")
    page = text(await mira.get("/t/cup/withdraw/"))
    assert "which is less than half" in page
    assert (await mira.post("/t/cup/withdraw/", entry=await entry_of(1))).status_code == 302
    assert (await Entry.objects.aget(seed=1)).withdrawn is not None
    status, page = await says(mira, "/t/cup/withdraw/", entry="0")
    assert status == 422 and "'0'" in page


async def test_the_organiser_changes_the_seeds_before_the_start(host: Host) -> None:
    tournament, mira = await made()
    entries = [entry async for entry in Entry.objects.order_by("seed")]
    typed = {f"seed-{entry.pk}": str(len(entries) - n) for n, entry in enumerate(entries)}
    assert "Two players have the seed 1" in (await says(mira, "/t/cup/seeds/", **dict.fromkeys(typed, "1")))[1]
    assert (await mira.post("/t/cup/seeds/", **typed))["Location"] == "/t/cup/"
    after = [entry.name async for entry in Entry.objects.order_by("seed")]
    assert after == [entry.name for entry in entries][::-1]
    audit = await Audit.objects.aget(act="tournament seeds")
    assert audit.says() == "order: " + ", ".join(f"{n} {name}" for n, name in enumerate(after, 1))
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    assert (await says(mira, "/t/cup/seeds/", **typed))[0] == 409


async def test_a_page_from_before_the_seeds_changed_means_whom_it_names(host: Host) -> None:
    _, mira = await made(count=3)
    withdrawing, seeding = text(await mira.get("/t/cup/withdraw/")), text(await mira.get("/t/cup/seeds/"))
    (p1,) = re.findall(r'value="(\d+)">\s*<button class="btn sm">Withdraw p1<', withdrawing)
    first = [f"seed-{entry.pk}" async for entry in Entry.objects.order_by("seed")]
    assert all(f'name="{name}"' in seeding for name in first)
    await mira.post("/t/cup/seeds/", **dict(zip(first, "231", strict=True)))
    assert [entry.name async for entry in Entry.objects.order_by("seed")] == ["p3", "p1", "p2"]
    await mira.post("/t/cup/seeds/", **dict(zip(first, "213", strict=True)))
    assert [entry.name async for entry in Entry.objects.order_by("seed")] == ["p2", "p1", "p3"]
    assert (await mira.post("/t/cup/withdraw/", entry=p1)).status_code == 302
    assert [entry.name async for entry in Entry.objects.order_by("seed")] == ["p2", "p3"]


async def test_who_has_gone_is_brought_back_by_the_organiser_alone(host: Host) -> None:
    tournament, mira = await made()
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    assert (await mira.post("/t/cup/withdraw/", entry=await entry_of(1))).status_code == 302
    assert "Undo the withdrawal of" in text(await mira.get("/t/cup/withdraw/"))
    assert (await says(mira, "/t/cup/withdraw/", entry=await entry_of(1), act="fly"))[0] == 422
    assert (await mira.post("/t/cup/withdraw/", entry=await entry_of(1), act="undo")).status_code == 302
    first = await Entry.objects.aget(seed=1)
    assert first.withdrawn is None
    for _ in range(2):
        await sync_to_async(leaving.count_call)(first.pk)
    assert "missed two calls by" in text(await mira.get("/t/cup/"))
    assert "Take back the forfeits of" in text(await mira.get("/t/cup/withdraw/"))
    assert (await mira.post("/t/cup/withdraw/", entry=await entry_of(1), act="take-back")).status_code == 302
    assert (await Entry.objects.aget(seed=1)).absent is None
    assert "missed two calls" not in text(await mira.get("/t/cup/"))


async def test_a_disabled_bot_whose_matches_wait_is_named_with_its_page(host: Host) -> None:
    """As after a quarantine: who organises the event can have it ended before the matches are forfeited."""
    bot, _ = await register("gravity-9", "fiar")
    entries = (EntrySpec("gravity-9", "bot", "", "fiar", player=bot.pk), *builtins(1))
    await sync_to_async(actions.pause)(await a_begun(a_spec(entries=entries, clock="30s", name="Cup")))
    said = (
        '<a href="/bots/gravity-9/">gravity-9</a> is disabled; its page says why. Its matches wait until it is enabled.'
    )
    for is_said in (False, True, False):
        await (tokens.disable(bot, "quarantine: 10 failures in a row") if is_said else tokens.enable(bot))
        assert (said in flowing(await Person().get("/t/cup/"))) is is_said


async def test_a_finished_event_offers_only_to_take_back_forfeits(host: Host) -> None:
    _, mira = await made(count=2)
    assert 'href="/t/cup/withdraw/"' in text(await mira.get("/t/cup/"))
    await mira.post("/t/cup/do/start/")
    await finished("cup")
    assert 'href="/t/cup/withdraw/"' not in text(await mira.get("/t/cup/"))
    await Entry.objects.filter(seed=1).aupdate(absent=timezone.now())
    assert 'href="/t/cup/withdraw/"' in text(await mira.get("/t/cup/"))


async def test_owners_enter_and_withdraw_their_own_bot_only(host: Host) -> None:
    await made(count=3)
    noa = await known("noa")
    user = await User.objects.aget(username="noa")
    mine, other = await a_bot(owner=user), await a_bot("delta3")
    await a_bot("nim-bot", owner=user, variant="expanding-nim")
    page = text(await noa.get("/t/cup/enter/"))
    assert "gravity-9" in page and "delta3" not in page and "nim-bot" not in page and "never seen" in page
    assert "You have no bot" not in page and "No bot of that name" in text(await noa.get("/t/cup/enter/?find=none"))
    status, words = await says(noa, "/t/cup/enter/", who=f"bot:{other.pk}")
    assert status == 422 and "Nothing was done" in words
    assert (await noa.post("/t/cup/enter/", who=f"bot:{mine.pk}")).status_code == 302
    status, words = await says(noa, "/t/cup/enter/", who=f"bot:{mine.pk}")
    assert status == 409 and "already" in words
    page = text(await noa.get("/t/cup/"))
    assert "3 of 4 are connected" in page
    assert "<b>gravity-9</b> is disconnected" in page
    assert "arena-bridge.py --forever testserver PORT --listen 50008 -- COMMAND" in words_in(page)
    second = await a_bot("gravity-10", owner=user)
    assert (await noa.post("/t/cup/enter/", who=f"bot:{second.pk}")).status_code == 302
    page = text(await noa.get("/t/cup/"))
    assert "<b>gravity-9, gravity-10</b> are disconnected" in page and page.count("COMMAND") == 1
    assert (await noa.post("/t/cup/withdraw/", entry=await entry_of(5))).status_code == 302
    assert "arena-bridge.py" not in text(await Person().get("/t/cup/")), "only owners are told how theirs stays"
    status, words = await says(noa, "/t/cup/withdraw/", entry=await entry_of(1))
    assert status == 403 and "p1 is not yours, so you cannot withdraw it" in words
    assert (await noa.post("/t/cup/withdraw/", entry=await entry_of(4))).status_code == 302
    assert await Entry.objects.acount() == 3


async def test_nothing_begins_before_a_person_has_agreed_to_play_bots(host: Host) -> None:
    _, mira = await made(count=2)
    noa = await known("noa")
    assert re.search(r'href="/t/cup/enter/">Enter</a>', text(await noa.get("/t/cup/"))), "people are no bots"
    assert (await noa.post("/t/cup/enter/", who="me")).status_code == 302
    status, words = await says(mira, "/t/cup/do/start/")
    assert status == 409 and "not everyone has agreed to that yet: noa" in words
    assert "until you agree to play" in text(await noa.get("/t/cup/enter/"))
    assert (await noa.post("/t/cup/enter/", who="agree")).status_code == 302
    assert (await mira.post("/t/cup/do/start/")).status_code == 302
    assert (await noa.post("/t/cup/enter/", who="me")).status_code == 409


async def test_a_player_comes_late_by_the_organiser(host: Host) -> None:
    tournament, mira = await made(count=2)
    await sync_to_async(actions.start)(tournament)
    await sync_to_async(actions.pause)(tournament)
    assert (await mira.post("/t/cup/enter/", who="builtin:club")).status_code == 302
    assert [entry.late > 0 for entry in (await a_sheet("cup")).entries.values()] == [False, False, True]


async def test_what_has_not_begun_is_deleted(host: Host) -> None:
    _, mira = await made(entries=builtins(2))
    assert (await mira.post("/t/cup/do/delete/"))["Location"] == "/t/"
    assert not await Tournament.objects.aexists()


@sync_to_async
def _rows() -> list[Any]:
    return [list(model.objects.values()) for model in (Tournament, Entry, Pairing)]


async def test_conditions_are_said_before_anybody_presses_enter_and_hold_for_everybody(host: Host) -> None:
    conditions = Conditions(checked=True, rating_to=1400)
    _, owner = await made(clock="5s", conditions=conditions)
    noa = await known("noa")
    mine = await a_bot("noa-bot", owner=await User.objects.aget(username="noa"), open_to="everyone")
    for path in ("/t/cup/", "/t/cup/enter/"):
        page = unescape(text(await noa.get(path)))
        assert "Who may enter" in page and "a rating of at most 1400 in this game" in words_in(page)
        assert "noa-bot cannot enter yet: it has not passed the check" in words_in(page)
        assert "check_bot --record noa-bot --port PORT -- COMMAND" in page
    for person in (noa, owner):
        status, page = await says(person, "/t/cup/enter/", who=f"bot:{mine.pk}")
        assert status == 409 and "noa-bot cannot enter Cup: " in page and "there is none yet." in page
    assert await Entry.objects.acount() == 2
    await noa.post("/settings/one/", language="de")
    german = unescape(text(await noa.get("/t/cup/")))
    assert "noa-bot kann noch nicht angemeldet werden" in words_in(german) and "höchstens 1400" in german


async def test_the_organiser_reads_who_takes_part_without_meeting_what_was_asked_later(host: Host) -> None:
    event, owner = await made(clock="5s")
    bot = await a_bot("noa-bot")
    spec = EntrySpec("noa-bot", "bot", protocol="droidcon", player=bot.pk, variant=bot.variant)
    await sync_to_async(actions.enter)(event, spec)
    await Tournament.objects.aupdate(settings={**event.settings, "conditions": Conditions(True)._asdict()})
    assert "noa-bot: it has not passed" in words_in(unescape(text(await owner.get("/t/cup/"))))
    assert "noa-bot: it has not passed" not in words_in(unescape(text(await Person().get("/t/cup/"))))
