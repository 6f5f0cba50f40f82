from django.db import migrations, models


class Migration(migrations.Migration):
    """Only its name in the code changes: the column stays, which functions of the database and older workers name."""

    dependencies = [("arena", "0170_slices")]
    operations = [
        migrations.AlterField(
            model_name="machine",
            name="sort",
            field=models.CharField(db_column="sort", max_length=32, verbose_name="class"),
        ),
        migrations.RenameField(model_name="machine", old_name="sort", new_name="machine_class"),
    ]
