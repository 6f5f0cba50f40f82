"""Which names are taken, and which account a typed name means."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from arena.models import Player
from arena.web.people.account_forms import CodeForm, NameForm, SignupForm, is_taken, taken_words, username_of
from arena.web.people.claim import ClaimForm

pytestmark = pytest.mark.django_db


def test_a_typed_name_means_the_account_of_the_player_called_so() -> None:
    user = User.objects.create_user("mira-k")
    Player.objects.create(kind="person", name="Mira K", slug="mira-k", user=user)
    assert username_of("MIRA  k") == username_of("Mira.-K") == "mira-k"


def test_the_name_of_a_bot_means_no_account() -> None:
    user = User.objects.create_user("mira")
    Player.objects.create(kind="bot", name="Mira K", slug="mira-k", user=user)
    assert username_of("Mira K") == "Mira K"


def test_staff_without_a_player_logs_in_by_its_username() -> None:
    User.objects.create_user("root@example.org")
    assert username_of("root@example.org") == "root@example.org"
    assert is_taken("Root") is False


def test_the_free_name_is_free_and_not_too_long() -> None:
    long = "x" * 24
    Player.objects.create(kind="guest", name=long, slug=long)
    free = taken_words(long).removeprefix("That name is taken. ").removesuffix(" is free.")
    assert len(free) <= 24 and not is_taken(free)


def test_one_s_own_name_is_not_taken() -> None:
    guest = Player.objects.create(kind="guest", name="Teal Heron", slug="teal-heron")
    assert is_taken("teal heron") and not is_taken("teal heron", guest)


def test_a_name_that_looks_like_another_in_another_alphabet_is_taken() -> None:
    cyrillic = "\u0421\u043e\u0441\u043e"
    guest = Player.objects.create(kind="guest", name="Coco", slug="coco")
    assert is_taken(cyrillic) and not is_taken(cyrillic, guest)
    assert not is_taken("\u0421\u0435\u0440\u0433\u0435\u0439")
    User.objects.create_user("\u0430\u0440\u0435")
    assert is_taken("Ape")


def test_only_staff_is_called_like_an_office() -> None:
    user = User.objects.create_user("mira")
    player = Player.objects.create(kind="person", name="Mira", slug="mira", user=user)
    for form in (SignupForm({"name": "Admin", "password": "tail feathers"}), NameForm(player, {"name": "Moderator"})):
        assert not form.is_valid() and "Only staff may have such a name." in form.errors["name"][0]
    user.is_staff = True
    assert NameForm(player, {"name": "Moderator"}).is_valid()


def test_a_password_like_the_name_is_refused() -> None:
    form = SignupForm({"name": "otter otter", "password": "otter otter"})
    assert not form.is_valid() and "too similar" in form.errors["password"][0]


@pytest.mark.parametrize("form", [CodeForm, ClaimForm])
def test_a_phone_writes_a_code_in_capitals_and_does_not_correct_it(form: type[CodeForm | ClaimForm]) -> None:
    kept = {"autocomplete": "one-time-code", "autocapitalize": "characters", "spellcheck": "false"}
    assert kept.items() <= form().fields["code"].widget.attrs.items()
