from __future__ import annotations

from django.contrib import admin

from arena.models import Player


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "kind", "user")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("name", "slug", "user__username")
    raw_id_fields = ("user",)
    ordering = ("slug",)
