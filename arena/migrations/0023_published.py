from django.db import migrations, models


class Migration(migrations.Migration):
    """When the table of an event was called final, and what was done to a subject by an index."""

    dependencies = [("arena", "0014_work")]

    operations = [
        migrations.AddField("tournament", "published", models.DateTimeField(blank=True, null=True)),
        migrations.AddIndex("audit", models.Index(fields=["subject", "-id"], name="audit_of_subject")),
    ]
