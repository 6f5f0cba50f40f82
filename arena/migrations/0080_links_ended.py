from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("arena", "0100_program")]

    operations = [
        migrations.AddField("player", "links_ended", models.PositiveIntegerField(default=0, editable=False)),
    ]
