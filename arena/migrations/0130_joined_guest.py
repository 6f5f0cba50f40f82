import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0080_links_ended"),
    ]

    operations = [
        migrations.CreateModel(
            name="JoinedGuest",
            fields=[
                (
                    "guest",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="joined",
                        serialize=False,
                        to="arena.player",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="guests", to="arena.player"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("guest", models.F("person")), _negated=True),
                        name="joined_with_somebody_else",
                    )
                ],
            },
        ),
    ]
