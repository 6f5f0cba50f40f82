from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """With each match of a rated event the host counts those that are out: it must not read all that was played."""

    dependencies = [("arena", "0240_work_indexes")]

    operations = [
        migrations.AddIndex(
            model_name="work",
            index=models.Index(fields=["state"], condition=Q(kind="play") & ~Q(state="done"), name="work_of_plays"),
        ),
    ]
