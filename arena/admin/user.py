"""Accounts in the admin: Django's own page, and a code with which somebody who forgot their password sets a new one."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from arena.admin.record import Record
from arena.codes import digest, new_code
from arena.models import Audit, OneTimeCode

KEPT = timedelta(days=1)

admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(UserAdmin):
    actions = ("make_code",)

    @admin.action(description="Make a code for a new password", permissions=["change"])
    def make_code(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """One at a time, because it is shown once; for staff only by superusers, whom it could make one."""
        if chosen.count() != 1:
            self.message_user(request, "Choose one account: its code is shown once.", messages.WARNING)
            return None
        user = chosen.get()
        if (user.is_staff or user.is_superuser) and not request.user.is_superuser:
            self.message_user(request, f"{user} is staff: only a superuser makes a code for it.", messages.ERROR)
            return None
        code = new_code()
        fields = {"code_sha256": digest(code), "expires": timezone.now() + KEPT}
        OneTimeCode.objects.update_or_create(user=user, defaults=fields)
        Audit.objects.create(actor=request.user.get_username(), act="code for a password", subject=user.get_username())
        context = {**self.admin_site.each_context(request), "title": f"Code for {user}", "code": code, "account": user}
        return TemplateResponse(request, "admin/one_time_code.html", context, headers={"Cache-Control": "no-store"})


@admin.register(OneTimeCode)
class OneTimeCodeAdmin(Record):
    """Who has a code, and until when; not which."""

    list_display = ("user", "expires")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    fields = ("user", "expires")
    ordering = ("-expires",)
