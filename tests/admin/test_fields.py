"""Every field of every form of the admin, for every kind of staff: one table, and a field that is not in it fails.

What a form does not offer is sent to it all the same, and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Field, ForeignKey, Model
from django.test import Client

import arena.urls  # noqa: F401 - tables are registered with the addresses
from arena.models import Audit, Bot, Player
from tests.admin.conftest import NOW

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Page

pytestmark = pytest.mark.long

LOOKS = [("no permission", ""), ("looks", "view_"), ("changes users", "_user"), ("all but superuser", "_")]
WHO = (*(who for who, _ in LOOKS), "superuser")
ACCOUNT = "username first_name last_name email is_active last_login date_joined"
RIGHTS = "is_staff is_superuser groups user_permissions"
BOT = "variant protocol family version"
EVENT = (
    "name variant format legs rounds clock pace_ms concurrency opening_plies adjudicate machines starts rated "
    "offers third_place checked rating_from rating_to "
    + (" ".join(f"{place}_tie_break" for place in ("first", "second", "third", "fourth", "fifth", "sixth")))
)
# By row and by who asks: the last three of WHO. Of all other rows, and for the first two, there is no form.
TABLE = f"""
user/add        | username usable_password password1 password2 | = | =
user/of a player | {ACCOUNT} | = | {ACCOUNT} {RIGHTS}
user/of staff   | | | {ACCOUNT} {RIGHTS}
user/of a superuser | | | {ACCOUNT} {RIGHTS}
user/own        | | | {ACCOUNT} {RIGHTS}
group/add       | | | name permissions
group/there     | | | name permissions
player/add      | | kind name | kind name user
player/there    | | name | kind name user
player/of staff | | | kind name user
bot/add         | | player owner {BOT} wire open_to | player owner {BOT} command wire open_to
tournament/add  | | {EVENT} | {EVENT}
bot/there       | | {BOT} | owner {BOT} command wire open_to
"""
SECRET = "seven-blue-otters"
BAD = ("\0", "x" * 70_000, "-", "\ud83d\u202e<script>alert(1)</script>".encode("utf-8", "replace").decode(), "{[")
# What Django itself puts into a form, and which act on the row its reader has seen.
DJANGOS = {"csrfmiddlewaretoken", "_save", "_continue", "_addanother", "_popup", "next", "action", "confirmed"}
NOT_FIELDS = DJANGOS | {"since"}


class Form(NamedTuple):
    """`row` is None for the form of a new one."""

    label: str
    model: type[Model]
    row: Model | None

    @property
    def address(self) -> str:
        start = f"/admin/{self.model._meta.app_label}/{self.model._meta.model_name}/"
        return f"{start}add/" if self.row is None else f"{start}{self.row.pk}/change/"


class World(NamedTuple):
    client: Client
    user: User
    forms: list[Form]


@pytest.fixture
def world(fill: Callable[[int], None], request: pytest.FixtureRequest) -> World:
    """Every kind of reader, and a form for every row at which readers may be treated differently."""
    fill(1)
    fill(2)
    who = request.param
    user = User.objects.create_user("somebody", is_staff=True, is_superuser=who == "superuser")
    part = dict(LOOKS).get(who, "")
    given = [right for right in Permission.objects.all() if part and part in right.codename]
    user.user_permissions.set(given)
    client = Client(raise_request_exception=True)
    client.force_login(user)
    return World(client, user, list(_forms(user)))


def _forms(me: User) -> Iterator[Form]:
    helper = User.objects.create_user("helper", is_staff=True)
    root = User.objects.create_superuser("root")
    Player.objects.create(kind="person", name="Helper", slug="helper", user=helper)
    Group.objects.create(name="referees").permissions.set(Permission.objects.all()[:2])
    User.objects.update(date_joined=NOW, last_login=NOW)  # a form knows no microseconds
    rows = {"of a player": User.objects.get(username="user1"), "of staff": helper, "of a superuser": root, "own": me}
    yield from (Form(f"user/{label}", User, row) for label, row in rows.items())
    yield Form("player/of staff", Player, Player.objects.get(slug="helper"))
    for model in admin.site._registry:
        name = str(model._meta.model_name)
        yield Form(f"{name}/add", model, None)
        row = model._default_manager.order_by("pk").first()
        if row is not None and model is not User:
            yield Form(f"{name}/there", model, row)


def table() -> dict[str, list[set[str]]]:
    """By form, what each of WHO is offered."""
    found = {}
    for line in TABLE.strip().splitlines():
        label, *offered = (part.strip() for part in line.split("|"))
        words = [offered[0], offered[0] if offered[1] == "=" else offered[1], offered[2]]
        words[2] = words[0] if words[2] == "=" else words[2]
        found[label] = [set(), set(), *(set(each.split()) for each in words)]
    return found


def offered(page: Page) -> set[str]:
    """The names of all that can be filled in; a date and its time are one field."""
    if page.status_code != 200:
        return set()
    form = re.search(r'<form [^>]*id="\w+_form".*</form>', page.content.decode(), re.DOTALL)
    assert form is not None
    names = re.findall(r'<(?:input|select|textarea)[^>]* name="([^"]+)"', form[0])
    return {re.sub(r"_[01]$", "", name) for name in names if "-" not in name} - NOT_FIELDS


def said(page: Page) -> dict[str, Any]:
    """The form as a browser would send it when nobody touches it."""
    if page.status_code != 200 or page.context is None or "adminform" not in page.context:
        return {}
    found: dict[str, Any] = {}
    for bound in page.context["adminform"].form:
        found |= _sent(bound.name, bound.value())
    return found


def _sent(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, datetime):
        return {f"{name}_0": f"{value:%Y-%m-%d}", f"{name}_1": f"{value:%H:%M:%S}"}
    if value is None or value is False:
        return {}
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Model):
        return {name: [each.pk for each in value]}
    return {name: value if isinstance(value, (list, tuple)) else str(value)}


def other(field: Field[Any, Any], value: Any, me: User) -> dict[str, Any]:
    """The field with another value than it has, as a form would send it."""
    name = field.name
    if field.many_to_many:
        return {name: [str(pk) for pk in related(field).objects.values_list("pk", flat=True)[:20]]}
    if isinstance(field, ForeignKey):
        mine = me.pk if field.related_model is User else None
        rest = related(field).objects.exclude(pk=value)
        return {name: str(mine or rest.values_list("pk", flat=True).first())}
    kind = field.get_internal_type()
    if kind == "BooleanField":
        return {} if value else {name: "on"}
    if kind == "DateTimeField":
        at = (value or datetime(2026, 1, 1)) + timedelta(days=400)
        return {name: at.isoformat(), f"{name}_0": f"{at:%Y-%m-%d}", f"{name}_1": f"{at:%H:%M:%S}"}
    if kind == "JSONField":
        return {name: '["rm", "-rf"]'}
    if field.choices:
        return {name: next(str(choice) for choice, _ in field.choices if choice != value)}
    return {name: str((value or 0) + 1) if isinstance(value, int) else f"{value or 'x'}9"[-30:]}


def related(field: Field[Any, Any]) -> Any:
    """The class of the rows that a relation leads to."""
    return field.related_model


def smuggled(form: Form, known: set[str], me: User) -> dict[str, Any]:
    """Every column and every relation that is not offered, changed."""
    row, found = form.row, dict[str, Any]()
    for field in (*form.model._meta.fields, *form.model._meta.many_to_many):
        if field.name not in known and not field.primary_key | field.is_relation & (field.name == "player"):
            value = getattr(row, field.attname) if row is not None and not field.many_to_many else None
            found |= other(field, value, me)
    return found


def rows() -> dict[str, Any]:
    """All that forms could change."""
    models = [model for model in admin.site._registry if model is not Audit]
    fields = [field for model in (User, Group) for field in model._meta.many_to_many]
    through = [found for field in fields if (found := field.remote_field.through) is not None]
    return {each.__name__: list(each._default_manager.order_by("pk").values()) for each in (*models, *through)}


def differing(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [name for name in before if before[name] != after[name]]


@pytest.mark.cases(1)
@pytest.mark.parametrize("world", WHO, indirect=True, ids=WHO)
def test_everybody_is_offered_what_is_theirs_and_changes_nothing_else(
    world: World, request: pytest.FixtureRequest
) -> None:
    expected, column = table(), WHO.index(request.node.callspec.id)
    assert set(expected) <= {form.label for form in world.forms}
    before, wrong = rows(), []
    for form in world.forms:
        page = world.client.get(form.address)
        wanted = expected.get(form.label, [set()] * len(WHO))[column]
        if offered(page) != wanted:
            wrong.append(f"{form.label}: offered {sorted(offered(page))}, expected {sorted(wanted)}")
        if form.row is None and wanted:
            continue  # what is added is tried below
        answer = world.client.post(form.address, {**said(page), **smuggled(form, wanted, world.user)})
        if answer.status_code != (302 if wanted else 403):
            errors = answer.context["adminform"].form.errors if answer.context else ""
            wrong.append(f"POST {form.label}: {answer.status_code} {errors}")
        if answer.status_code != 403 and (changed := differing(before, after := rows())):
            wrong.append(f"POST {form.label}: changed {changed}")
            before = after
    assert wrong == [] and differing(before, rows()) == []


@pytest.mark.parametrize("world", WHO[2:], indirect=True, ids=WHO[2:])
def test_what_is_added_has_only_what_was_offered(world: World, request: pytest.FixtureRequest) -> None:
    """Rights that were sent along with a new account, the command with a new bot, the account with a new player."""
    column = WHO.index(request.node.callspec.id)
    new = {
        "user/add": {"username": "new", "usable_password": "true", **dict.fromkeys(("password1", "password2"), SECRET)},
        "player/add": {"kind": "bot", "name": "Newton"},
        "bot/add": {
            "variant": "connect-four-7x6",
            "protocol": "fiar",
            "family": "newton",
            "version": "1",
            "wire": "owner",
            "open_to": "staff",
        },
        "group/add": {"name": "new"},
    }
    forms = {form.label: form for form in world.forms}
    for label, fields in new.items():
        form, known = forms[label], table()[label][column]
        if label == "bot/add":
            fields["player"] = str(Player.objects.create(kind="bot", name="Bot", slug="bot").pk)
        there = set(form.model._default_manager.values_list("pk", flat=True))
        answer = world.client.post(form.address, {**smuggled(form, known, world.user), **fields})
        made = form.model._default_manager.exclude(pk__in=there).first()
        assert answer.status_code == (302 if known else 403) and (made is not None) == bool(known), label
        assert made is None or _beside(made, known) == [], label


def _beside(made: Model, known: set[str]) -> list[str]:
    """What a new row has that nobody was asked for."""
    by_itself = {"password", "date_joined"}
    plain = [field for field in made._meta.fields if not field.primary_key and field.name not in known | by_itself]
    found = [
        field.name for field in plain if field.name != "slug" and getattr(made, field.attname) != field.get_default()
    ]
    many = [field.name for field in made._meta.many_to_many if field.name not in known]
    return found + [name for name in many if getattr(made, name).exists()]


@pytest.mark.cases(1)
@pytest.mark.parametrize("world", WHO[2:], indirect=True, ids=WHO[2:])
def test_bad_input_is_answered_in_words(world: World, request: pytest.FixtureRequest) -> None:
    """Every field of every form, with what no field takes: the form with its errors, nothing done, nothing broken.

    Forms without a field for somebody are refused above, and WHO[:2] have no others.
    """
    column = WHO.index(request.node.callspec.id)
    before = rows()
    for form in world.forms:
        known = table().get(form.label, [set()] * len(WHO))[column]
        if not known:
            continue
        sent = said(world.client.get(form.address))
        names = known | {f"{name}{end}" for name in known for end in ("_0", "_1") if f"{name}{end}" in sent}
        for bad in BAD:
            answer = world.client.post(form.address, {**sent, **dict.fromkeys(names, bad)})
            assert answer.status_code in (200, 422), (form.label, bad[:20])
            shown = answer.context.get("adminform")
            assert (shown.form if shown else answer.context["form"]).errors, (form.label, bad[:20])
    assert differing(before, rows()) == []


def test_a_command_that_no_database_takes_is_refused_in_words(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    address = f"/admin/arena/bot/{Bot.objects.get().pk}/change/"
    page = superuser.get(address)
    answer = superuser.post(address, {**said(page), "command": '["a\\u0000b"]'})
    assert answer.status_code == 200 and "NUL" in str(answer.context["adminform"].form.errors)


def test_nobody_reads_what_a_password_is_kept_as(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    root = User.objects.create_superuser("root", password=SECRET)
    page = staff.get(f"/admin/auth/user/{root.pk}/change/").content.decode()
    assert root.password not in page and root.password.rpartition("$")[2] not in page


@pytest.mark.parametrize("asks", ["user__password__startswith", "user__password__gte", "name__startswith"])
def test_nobody_asks_for_it_by_way_of_a_group(staff: Client, asks: str) -> None:
    """A list whose lines come and go by the first letters of a secret tells the secret."""
    group = Group.objects.create(name="referees")
    group.user_set.add(User.objects.create_superuser("root", password=SECRET))
    assert staff.get(f"/admin/auth/user/?groups__{asks}=pbkdf2").status_code == 400
    page = staff.get(f"/admin/auth/user/?groups__id__exact={group.pk}").content.decode()
    assert "root</a>" in page and "staff</a>" not in page


def test_staff_set_no_password_of_staff(staff: Client, db: None) -> None:
    root, mira = User.objects.create_superuser("root"), User.objects.create_user("mira")
    words = {"usable_password": "true", "password1": SECRET, "password2": SECRET}
    for user, status in ((root, 403), (mira, 302)):
        assert staff.post(f"/admin/auth/user/{user.pk}/password/", words).status_code == status
    root.refresh_from_db()
    assert not root.has_usable_password()


def test_what_became_of_an_account_is_in_the_audit(superuser: Client, db: None) -> None:
    mira = User.objects.create_user("mira")
    address = f"/admin/auth/user/{mira.pk}/change/"
    assert superuser.post(address, {**said(superuser.get(address)), "is_staff": "on"}).status_code == 302
    audit = Audit.objects.get(act="account changed")
    assert (audit.actor, audit.subject) == ("root", "mira")
    assert (audit.data["before"]["is_staff"], audit.data["after"]["is_staff"]) == ("False", "True")
