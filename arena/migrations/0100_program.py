from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0049_sample"),
    ]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="program",
            field=models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
    ]
