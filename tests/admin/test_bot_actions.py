"""Acts on bots from the admin: what is connected ends, a token is shown once."""

from __future__ import annotations

import html
import re
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.utils import timezone

from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit, Bot
from tests.admin.test_match_actions import root
from tests.kit.browsing import Person, text
from tests.kit.history import a_bot

LIST = "/admin/arena/bot/"


class Connection:
    """Somebody who showed the bot's token."""

    def __init__(self) -> None:
        self.sent_away: list[str] = []

    def send_away(self, code: str, sentence: str) -> None:
        self.sent_away.append(sentence)


async def do(person: Person, act: str, *bots: Bot, reason: str = "it floods") -> HttpResponse:
    chosen: dict[str, Any] = {"action": act, "_selected_action": [bot.pk for bot in bots]}
    asked = await person.post(LIST, **chosen)
    assert asked.status_code == 200 and "This will be changed" in text(asked)
    return await person.post(LIST, **chosen, confirmed="yes", reason=reason)


async def test_a_disabled_bot_is_away_at_once_and_its_owner_does_not_bring_it_back(host: Host) -> None:
    staff, bot, here = await root(), await a_bot(), Connection()
    tokens.came(bot.pk, here)
    await do(staff, "disabled", bot, reason="retired hardware")
    tokens.went(bot.pk, here)
    await bot.arefresh_from_db()
    assert (bot.enabled, bot.why_disabled) == (False, "by staff: retired hardware")
    assert here.sent_away == ["This bot was disabled: by staff: retired hardware."]
    audit = await Audit.objects.aget()
    assert (audit.actor, audit.act, audit.subject) == ("root", "bot disabled", "gravity-9")
    assert (audit.data["before"]["enabled"], audit.data["after"]["enabled"]) == (True, False)


async def test_who_enables_a_bot_lets_it_out_of_quarantine(host: Host) -> None:
    why = "quarantine: 10 failures in a row"
    staff, bot = await root(), await a_bot(enabled=False, why_disabled=why, quarantined=timezone.now())
    await do(staff, "enabled", bot, reason="")
    await bot.arefresh_from_db()
    assert bot.enabled and bot.quarantined is None and bot.cleared is not None and bot.why_disabled == ""
    answer = await staff.post(LIST, action="enabled", _selected_action=bot.pk)
    assert "It is already enabled. Nothing was done." in html.unescape(text(await staff.get(answer["Location"])))


async def test_the_second_of_two_who_act_at_once_is_told_what_the_first_did(host: Host) -> None:
    first, second, bot = await root(), await root("ada"), await a_bot(token_sha256="0" * 64)
    chosen = {"action": "token revoked", "_selected_action": bot.pk}
    since = re.search(rf'name="since-{bot.pk}" value="(\d+)"', text(await second.post(LIST, **chosen)))
    assert since is not None
    await do(first, "disabled", bot)
    answer = await second.post(LIST, **chosen, **{f"since-{bot.pk}": since[1]}, confirmed="yes", reason="it is mine")
    page = html.unescape(text(await second.get(answer["Location"])))
    assert "Meanwhile: root at " in page and "bot disabled (“it floods”). Nothing was done" in page
    assert await Audit.objects.acount() == 1


async def test_a_bot_is_disconnected_with_the_reason(host: Host) -> None:
    staff, bot, here = await root(), await a_bot(), Connection()
    tokens.came(bot.pk, here)
    await do(staff, "kicked", bot)
    tokens.went(bot.pk, here)
    assert here.sent_away == ["A referee has disconnected this bot: it floods."]
    assert (await Bot.objects.aget()).enabled
    assert 'value="kicked"' not in text(await staff.get(f"{LIST}{bot.pk}/change/")), "nothing is connected any more"


async def test_a_new_token_is_shown_once_and_is_on_no_record(host: Host) -> None:
    staff, bot = await root(), await a_bot()
    old = await tokens.rotate(bot)
    answer = await do(staff, "new token", bot)
    new = re.search(r"arn_[a-z2-7]{26}", text(answer))
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"] and new is not None
    assert (await tokens.find(new[0])).player == bot.pk
    with pytest.raises(Refusal):
        await tokens.find(old)
    said = [(audit.act, audit.data) async for audit in Audit.objects.all()]
    assert said[0][0] == "bot new token" and new[0] not in str(said)
    assert new[0] not in text(await staff.get(f"/admin/arena/bot/{bot.pk}/change/"))


async def test_a_revoked_token_proves_nothing(host: Host) -> None:
    staff, bot = await root(), await a_bot()
    token = await tokens.rotate(bot)
    here = Connection()
    tokens.came(bot.pk, here)
    await do(staff, "token revoked", bot)
    tokens.went(bot.pk, here)
    assert here.sent_away == ["The token of this bot was revoked: its owner can make a new one."]
    with pytest.raises(Refusal):
        await tokens.find(token)


async def test_a_bot_that_gets_another_owner_takes_no_token_of_the_one_before(host: Host) -> None:
    staff, bot = await root(), await a_bot()
    token, here = await tokens.rotate(bot), Connection()
    tokens.came(bot.pk, here)
    ada = await User.objects.acreate_user("ada")
    form = {name: getattr(bot, name) for name in ("variant", "protocol", "family", "version", "wire", "open_to")}
    answer = await staff.post(f"{LIST}{bot.pk}/change/", **form, owner=str(ada.pk), command="")
    tokens.went(bot.pk, here)
    assert answer.status_code == 302 and (await Bot.objects.aget()).owner_id == ada.pk
    assert here.sent_away == ["The token of this bot was revoked: its owner can make a new one."]
    with pytest.raises(Refusal):
        await tokens.find(token)


async def test_a_superuser_packs_what_lies_in_its_folder_and_staff_do_not(
    host: Host, tmp_path: Path, settings: Any
) -> None:
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path / "bots"
    staff, bot = await root(), await a_bot(command=["python3", "left.py"])
    answer = await do(staff, "program added", bot, reason="")
    assert "is not a folder" in text(answer) and answer.status_code == 422
    (tmp_path / "bots" / "gravity-9").mkdir(parents=True)
    (tmp_path / "bots" / "gravity-9" / "left.py").write_text("print(1)\n")
    await do(staff, "program added", bot, reason="")
    await bot.arefresh_from_db()
    assert len(bot.program) == 64 and f"its program is {bot.program[:12]}. It may go to workers." in text(
        await staff.get(LIST)
    )
    assert bot.program in text(await staff.get(f"/admin/arena/bot/{bot.pk}/change/"))
    rmtree(tmp_path / "bots")
    answer = await do(staff, "program removed", bot, reason="")
    assert "gravity-9 is not a folder" in text(answer), "from nowhere it could not be started"
    await User.objects.filter(username="root").aupdate(is_superuser=False, is_staff=True)
    user = await User.objects.aget(username="root")
    await user.user_permissions.aset([p async for p in Permission.objects.filter(codename__endswith="_bot")])
    assert (await staff.post(LIST, action="program removed", _selected_action=bot.pk)).status_code == 403
    page = text(await staff.get(LIST))
    assert 'value="disabled"' in page and 'value="program' not in page
    kept = bot.program
    await bot.arefresh_from_db()
    assert bot.program == kept
