"""Ratings get their history. The table of changes had no writer before, so it is made anew."""

import django.db.models.deletion
from django.db import migrations, models

import games


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0003_places"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="rating", name="rating_table"),
        migrations.AddField("rating", "won", models.PositiveIntegerField(default=0)),
        migrations.AddField("rating", "drawn", models.PositiveIntegerField(default=0)),
        migrations.AddField("rating", "last", models.CharField(blank=True, default="", max_length=10)),
        migrations.AddField("rating", "at", models.DateTimeField(blank=True, null=True)),
        migrations.AlterField(
            "rating",
            "player",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ratings",
                to="arena.player",
            ),
        ),
        migrations.AddIndex("rating", models.Index(fields=["variant", "-points", "player"], name="rating_table")),
        migrations.AddIndex(
            "rating",
            models.Index(
                condition=models.Q(("matches__lt", 10)),
                fields=["variant", "-points", "player"],
                name="rating_not_settled",
            ),
        ),
        migrations.DeleteModel("RatingChange"),
        migrations.CreateModel(
            name="RatingChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("points", models.FloatField(default=1500.0)),
                ("deviation", models.FloatField(default=350.0)),
                ("volatility", models.FloatField(default=0.06)),
                ("matches", models.PositiveIntegerField(default=0)),
                ("won", models.PositiveIntegerField(default=0)),
                ("drawn", models.PositiveIntegerField(default=0)),
                ("last", models.CharField(blank=True, default="", max_length=10)),
                ("at", models.DateTimeField(blank=True, null=True)),
                ("variant", models.CharField(choices=games.choices, max_length=40)),
                ("order", models.BigIntegerField()),
                ("before", models.FloatField()),
                (
                    "match",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating_changes",
                        to="arena.match",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating_changes",
                        to="arena.player",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "variant", "order"], name="rating_change_history"),
                    models.Index(fields=["variant", "order"], name="rating_change_order"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "player"), name="rating_change_once"),
                ],
            },
        ),
    ]
