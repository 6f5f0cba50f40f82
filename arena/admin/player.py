"""Players in the admin: staff rename them. What they have played names them, so none is removed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from arena.models import Player
from arena.web.staff import record


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "kind", "user")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("name", "slug", "user__username")
    raw_id_fields = ("user",)
    fields = ("kind", "name", "slug", "user")
    ordering = ("slug",)
    show_full_result_count = False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        before = {name: str(form.initial.get(name)) for name in form.changed_data} if change else {}
        super().save_model(request, obj, form, change)
        after = {name: str(getattr(obj, name)) for name in form.changed_data}
        record(request.user, "player changed" if change else "player added", obj, before=before, after=after)
