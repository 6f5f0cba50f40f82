"""`/settings/name/`: a new name for an account, at most once a day. The old address of the profile is 404, and free for
others. Matches keep the old name, which is in their logs; events show the new one.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.models import Audit, Player
from arena.tournaments import naming
from arena.web.guests import account_of, person_of
from arena.web.people.account_forms import NameForm, is_taken, taken_words
from arena.web.people.accounts import SIGNUPS
from arena.web.views import page, view

ACT = "new name"
EVERY = timedelta(days=1)


@view("GET", "POST", hosted=False)
async def name(request: HttpRequest) -> HttpResponse:
    user = await account_of(request)
    player = await sync_to_async(person_of)(user)
    form = NameForm(player, request.POST if request.method == "POST" else None, initial={"name": player.name})
    if form.is_bound:
        SIGNUPS.check(request)
        if await sync_to_async(form.is_valid)() and await sync_to_async(_renamed)(form, user, player):
            messages.success(
                request,
                _("Your name is now {name}. Matches so far keep your old name.").format(name=player.name),
            )
            return HttpResponseRedirect("/settings/")
    return await page(request, "arena/settings_name.html", {"form": form}, 422 if form.errors else 200)


def _renamed(form: NameForm, user: Any, player: Player) -> bool:
    """Whether the player now has this name; if not, the form says why."""
    new, old = form.cleaned_data["name"], player.name
    if new == old:
        form.add_error("name", _("This is your name already."))
    elif (last := _last(player)) is not None:
        hours = max(1, round((last + EVERY - timezone.now()).total_seconds() / 3600))
        said = _("You have changed your name today. You can change it again in {hours} h.")
        form.add_error(None, said.format(hours=hours))
    else:
        try:
            _rename(user, player, new)
        except IntegrityError:  # somebody else was faster
            form.add_error("name", taken_words(new, player))
    return not form.errors


def _last(player: Player) -> datetime | None:
    """When this player last changed the name, if that was within a day."""
    found = Audit.objects.filter(at__gt=timezone.now() - EVERY, act=ACT, data__player=player.pk)
    return found.order_by("-at").values_list("at", flat=True).first()


@transaction.atomic
def _rename(user: Any, player: Player, new: str) -> None:
    """People who signed up here log in with their name; staff may have a username that differs."""
    if is_taken(new, player):
        raise IntegrityError(new)
    slug, old = Player.slug_of(new), player.name
    if user.username == player.slug != slug:
        user.username = slug
        user.save(update_fields=["username"])
    player.name, player.slug = new, slug
    player.save(update_fields=["name", "slug"])
    naming.renamed(player.pk, new)
    Audit.objects.note(user, ACT, new, player=player.pk, before=old)
