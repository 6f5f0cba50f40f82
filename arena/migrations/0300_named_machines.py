from django.db import migrations, models


def forget_nameless(apps, schema_editor):
    """No worker of ours is without a name: this one has lied, and no page of the admin could show it."""
    apps.get_model("arena", "Machine").objects.filter(name="").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0290_room_of_event"),
    ]

    operations = [
        migrations.RunPython(forget_nameless, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="machine",
            constraint=models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="machine_has_name"),
        ),
    ]
