from django.db import migrations, models


class Migration(migrations.Migration):
    """The control room asks on every visit which events are not over: it must not read all those that are."""

    dependencies = [("arena", "0200_packed_log")]

    operations = [
        migrations.AddIndex(
            model_name="tournament",
            index=models.Index(fields=["created"], condition=models.Q(finished=None), name="tournament_not_over"),
        ),
    ]
