from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Every five seconds the host asks which events wait for workers in vain: it must not read all work for that."""

    dependencies = [("arena", "0250_work_of_plays")]

    operations = [
        migrations.AddIndex(
            model_name="work",
            index=models.Index(
                fields=["needs", "lent"], condition=Q(state="waiting") & Q(kind="play"), name="work_by_class"
            ),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(fields=["lacked"], condition=Q(lacked__isnull=False), name="work_given_back"),
        ),
    ]
