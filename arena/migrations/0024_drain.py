from django.db import migrations, models


class Migration(migrations.Migration):
    """The order to begin nothing new and to stop when what runs is over."""

    dependencies = [("arena", "0020_room_opening")]

    operations = [
        migrations.CreateModel(
            "Drain",
            [
                ("number", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("actor", models.CharField(max_length=64)),
            ],
        ),
    ]
