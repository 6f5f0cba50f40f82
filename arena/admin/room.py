from __future__ import annotations

from django.contrib import admin

from arena.models import Place, Room


class PlaceInline(admin.TabularInline):
    model = Place
    extra = 0
    max_num = 2
    raw_id_fields = ("player",)


@admin.register(Room)
class RoomAdmin(admin.ModelAdmin):
    list_display = ("shown_code", "variant", "clock", "rounds", "rated", "private", "owner", "last_used", "closed")
    list_filter = ("variant", "private", "rated", ("closed", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    search_fields = ("code", "owner__username")
    raw_id_fields = ("owner",)
    ordering = ("-last_used",)
    inlines = (PlaceInline,)


@admin.register(Place)
class PlaceAdmin(admin.ModelAdmin):
    list_display = ("room", "side", "kind", "player", "level", "protocol", "port", "expires")
    list_filter = ("kind", "protocol")
    list_select_related = ("room", "player")
    search_fields = ("room__code", "player__name", "=port")
    raw_id_fields = ("room", "player")
    ordering = ("-id",)
