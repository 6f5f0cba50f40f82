from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.bots.process import programs
from arena.models import Bot, Entry, Player
from tests.kit.tournaments import a_spec, begun


def test_a_player_is_renamed(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    player = Player.objects.get(slug="player-1")
    entry = Entry.objects.create(tournament=begun(a_spec()), seed=9, name="player 1", kind="bot", player=player)
    form = {"name": "Gravity", "slug": "something-else"}
    assert staff.post(f"/admin/arena/player/{player.pk}/change/", form).status_code == 302
    player.refresh_from_db()
    entry.refresh_from_db()
    assert (player.name, player.slug, entry.name) == ("Gravity", "gravity", "Gravity")


@pytest.mark.parametrize("name", ["-", "Grav\nity", "Gravity \u202e9", "x" * 33, "new"])
def test_a_name_is_here_what_it_is_everywhere(staff: Client, fill: Callable[[int], None], name: str) -> None:
    fill(1)
    player = Player.objects.get(slug="player-1")
    answer = staff.post(f"/admin/arena/player/{player.pk}/change/", {"name": name})
    assert answer.status_code == 200 and answer.context["adminform"].form.errors["name"]
    player.refresh_from_db()
    assert player.name == "player 1"


@pytest.mark.parametrize("packed", [False, True])
def test_a_bot_of_this_server_gets_no_name_under_which_its_files_are_not_found(
    staff: Client, tmp_path: Path, settings: SimpleNamespace, packed: bool
) -> None:
    """It would lose every match from then on."""
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path / "bots"
    player = Player.objects.create(name="gravity-9", slug="gravity-9", kind="bot")
    sha256 = "ab" * 32 if packed else ""
    bot = Bot.objects.create(player=player, protocol="native", family="g", command=["./bot"], program=sha256)
    files = programs.folder_of(bot)
    files.mkdir(parents=True)
    address = f"/admin/arena/player/{player.pk}/change/"
    page = staff.post(address, {"name": "Newton"}).content.decode()
    assert "from its folder gravity-9, and would look for newton: copy the folder first" in page
    assert staff.post(address, {"name": "Gravity-9"}).status_code == 302, "it is called so already"
    home = files.parent if packed else files
    shutil.copytree(home, home.with_name("newton"))
    assert staff.post(address, {"name": "Newton"}).status_code == 302
    bot.player.refresh_from_db()
    assert bot.player.name == "Newton" and programs.folder_of(bot).is_dir()


def test_nobody_is_called_as_an_account_logs_in(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    User.objects.create_superuser("root")
    address = f"/admin/arena/player/{Player.objects.get(slug='player-1').pk}/change/"
    assert "Root is taken" in staff.post(address, {"name": "Root"}).content.decode()


def test_a_name_that_differs_only_in_case_is_refused_with_a_word(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    form = {"kind": "guest", "name": "PLAYER 1"}
    page = staff.post("/admin/arena/player/add/", form).content.decode()
    assert "PLAYER 1 is taken" in page
