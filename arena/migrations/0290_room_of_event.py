import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The event for which a room's players were called."""

    dependencies = [("arena", "0280_private_rooms_in_audit")]

    operations = [
        migrations.AddField(
            model_name="room",
            name="event",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rooms",
                to="arena.tournament",
            ),
        ),
    ]
