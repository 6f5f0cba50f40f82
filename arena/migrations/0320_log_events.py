from django.db import migrations


class Migration(migrations.Migration):
    """In the admin an event is a tournament: the lines of a log have another name."""

    dependencies = [("arena", "0310_kept_names")]

    operations = [migrations.AlterModelOptions(name="event", options={"verbose_name": "log event"})]
