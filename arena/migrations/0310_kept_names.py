from django.db import migrations

import arena.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0300_named_machines"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptName",
            fields=[
                ("slug", arena.models.fields.LowerCaseField(max_length=64, primary_key=True, serialize=False)),
            ],
        ),
    ]
