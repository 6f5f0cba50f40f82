"""Groups for the staff of a larger arena, each with exactly the permissions that its work needs.

The server creates them if it finds none of them; later changes stay. Only a superuser can put somebody into one.
"""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission
from django.db import transaction

_LOOKS_AT_PLAY = "view_match view_seat view_event view_move view_ruling view_room view_player view_rating view_audit"
_LOOKS_AT_EVENTS = "view_tournament view_entry view_pairing"

# The permissions of each, by Django's names.
ROLES = {
    "referee": f"{_LOOKS_AT_PLAY} {_LOOKS_AT_EVENTS} change_match see_private view_bot",
    "organiser": f"{_LOOKS_AT_PLAY} {_LOOKS_AT_EVENTS} change_tournament change_match view_bot",
    "moderator": f"{_LOOKS_AT_PLAY} view_user change_user change_player view_onetimecode view_accessattempt "
    "delete_accessattempt view_chatreport change_chatreport",
    "operator": f"{_LOOKS_AT_PLAY} {_LOOKS_AT_EVENTS} see_private view_bot add_bot change_bot add_player "
    "add_drain "
    "view_wirechunk",
}


def make_roles() -> bool:
    """Create the roles unless one of them exists. Returns whether it did."""
    with transaction.atomic():
        if Group.objects.filter(name__in=ROLES).exists():
            return False
        for name, rights in ROLES.items():
            group = Group.objects.create(name=name)
            group.permissions.set(permissions(name))
            assert group.permissions.count() == len(rights.split()), f"{name}: a right of it is not there"
    return True


def permissions(role: str) -> list[Permission]:
    """Permissions of the arena, of accounts and of attempts to log in; those of other apps have other names."""
    apps = ("arena", "auth", "axes")
    return list(
        Permission.objects.filter(content_type__app_label__in=apps, codename__in=ROLES[role].split()).order_by("pk")
    )
