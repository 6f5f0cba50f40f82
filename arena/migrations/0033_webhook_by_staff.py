from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0032_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="by_staff",
            field=models.BooleanField(default=False, verbose_name="off by staff"),
        ),
    ]
