"""Who runs a tournament and whose entries are whose."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.test import AsyncRequestFactory

from arena.tournaments import acts
from arena.tournaments.spec import EntrySpec
from arena.web.guests import Visitor
from arena.web.tournaments_rights import Rights, rights_of
from tests.tournaments.playing import a_sheet, a_spec
from tests.web.history import a_bot, person


async def asked(user: User | None) -> Rights:
    request = AsyncRequestFactory().get("/t/spring-cup/")
    request.visitor = Visitor(account=user.pk if user else None)

    async def auser() -> User | None:
        return user

    request.auser = auser
    return await rights_of(request, await a_sheet("spring-cup"))


async def test_organisers_and_staff_who_may_change_tournaments_run_it(transactional_db: None) -> None:
    mira, noa, helper = [await User.objects.acreate_user(name) for name in ("mira", "noa", "helper")]
    helper.is_staff = True
    await helper.asave()
    root = await User.objects.acreate_superuser("root")
    await sync_to_async(acts.create)(a_spec(2), mira)
    assert [(await asked(user)).organises for user in (None, mira, noa, helper, root)] == [
        *(False, True, False, False, True)
    ]
    await helper.user_permissions.aadd(await Permission.objects.aget(codename="change_tournament"))
    assert (await asked(await User.objects.aget(pk=helper.pk))).organises


async def test_ones_own_entries_are_oneself_and_ones_bots(transactional_db: None) -> None:
    mira, noa = [await User.objects.acreate_user(name) for name in ("mira", "noa")]
    bot, player = await a_bot(owner=mira), await person("Mira", user=mira)
    entries = (
        EntrySpec("gravity-9", "bot", player=bot.pk, protocol="droidcon"),
        EntrySpec("Mira", "person", player=player.pk, agrees=True),
    )
    await sync_to_async(acts.create)(a_spec(2, entries=entries))
    assert len((await asked(mira)).entries) == 2 and not (await asked(noa)).entries
