from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from arena.models import Player

pytestmark = pytest.mark.django_db(transaction=True)
MADE_BY_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}


def used_tables() -> set[str]:
    """Asked of the database itself, which knows of tables that Django does not."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        return {name for name in names if cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {name})").fetchone()[0]}


def rename_a_permission() -> None:
    Permission.objects.filter(codename="add_player").update(name="Renamed")


def forget_a_kind() -> None:
    ContentType.objects.get(app_label="arena", model="player").delete()


def make_a_player_who_may_act() -> None:
    user = User.objects.create_user("ada")
    user.user_permissions.add(Permission.objects.get(codename="add_player"))
    Player.objects.create(kind="person", name="Ada", slug="ada", user=user)


@pytest.mark.parametrize("commit", [make_a_player_who_may_act, rename_a_permission, forget_a_kind, forget_a_kind])
def test_each_test_finds_the_tables_as_the_migrations_left_them(commit: object) -> None:
    """Each finds what the one before it left; the last two are one act, so the third was undone."""
    assert used_tables() <= MADE_BY_MIGRATIONS
    assert Permission.objects.get(codename="add_player").name == "Can add player"
    assert callable(commit)
    commit()
    assert used_tables()
