from django.db import migrations


class Migration(migrations.Migration):
    """The bar of the admin names its tables by what an operator looks for there."""

    dependencies = [("arena", "0210_tournament_not_over")]

    operations = [
        migrations.AlterModelOptions(
            name="handed", options={"verbose_name": "match handed in", "verbose_name_plural": "matches handed in"}
        ),
        migrations.AlterModelOptions(
            name="returned", options={"verbose_name": "worker's answer", "verbose_name_plural": "workers' answers"}
        ),
    ]
