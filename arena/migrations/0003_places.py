from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0002_accounts"),
    ]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="port",
            field=models.PositiveIntegerField(blank=True, null=True, unique=True),
        ),
        migrations.AddField(
            model_name="room",
            name="finished",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="room",
            name="opener",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="opened_rooms",
                to="arena.player",
            ),
        ),
    ]
