from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


def refuse_while_packed(apps, schema_editor):
    if apps.get_model("arena", "PackedLog").objects.exists():
        raise RuntimeError("Logs are packed, which older releases cannot read: run manage.py unpack_logs first.")


class Migration(migrations.Migration):
    dependencies = [("arena", "0180_machine_class")]

    operations = [
        migrations.CreateModel(
            name="PackedLog",
            fields=[
                (
                    "ended",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="packed",
                        serialize=False,
                        to="arena.event",
                    ),
                ),
                ("events", models.BinaryField()),
            ],
        ),
        migrations.RunPython(migrations.RunPython.noop, refuse_while_packed),
    ]
