from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0320_log_events"),
    ]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="passed",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
