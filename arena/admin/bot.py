from __future__ import annotations

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone

from arena.admin.record import Record
from arena.models import Bot, WireChunk


@admin.register(Bot)
class BotAdmin(admin.ModelAdmin):
    list_display = ("player", "family", "version", "protocol", "variant", "owner", "starts", "enabled", "why_disabled")
    list_filter = ("enabled", "protocol", "variant", "wire")
    list_select_related = ("player", "owner")
    search_fields = ("family", "player__name", "owner__username")
    raw_id_fields = ("player", "owner")
    ordering = ("family", "version")

    def get_readonly_fields(self, request: HttpRequest, obj: Bot | None = None) -> tuple[str, ...]:
        """What the server runs is a superuser's to say: whoever writes it runs programs on this machine."""
        return () if request.user.is_superuser else ("command",)

    def save_model(self, request: HttpRequest, obj: Bot, form: ModelForm, change: bool) -> None:
        """Who enables a bot here forgives what it has failed in before."""
        if change and "enabled" in form.changed_data and obj.enabled:
            obj.quarantined, obj.cleared, obj.why_disabled = None, timezone.now(), ""
        super().save_model(request, obj, form, change)

    @admin.display(description="started here", boolean=True)
    def starts(self, bot: Bot) -> bool:
        return bot.command is not None


@admin.register(WireChunk)
class WireChunkAdmin(Record):
    list_display = ("seat", "match_id", "n")
    list_select_related = ("seat",)
    search_fields = ("=seat__match__id", "seat__name")
    ordering = ("-id",)

    @admin.display(description="match")
    def match_id(self, chunk: WireChunk) -> str:
        return chunk.seat.match_id

    def get_queryset(self, request: HttpRequest):
        """Without the text of up to 64 KiB a row, which lists do not show."""
        return super().get_queryset(request).defer("jsonl")
