"""Who was given up after two calls, which forfeits follow from that, and pairings that are given as a draw."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="absent",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="calls",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="pairing",
            name="by_absence",
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name="pairing",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("bye", "Bye"),
                    ("forfeited", "Forfeited"),
                    ("handed", "handed to the organiser"),
                    ("drawn", "given as a draw"),
                    ("dropped", "Dropped"),
                    ("replaced", "Replaced"),
                ],
                default="open",
                max_length=9,
            ),
        ),
    ]
