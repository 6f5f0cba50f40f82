from django.db import migrations, models


class Migration(migrations.Migration):
    """What a command waits for is kept in the row of its work."""

    dependencies = [("arena", "0260_stranded_work")]

    operations = [
        migrations.AddField(
            model_name="work",
            name="kept",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
