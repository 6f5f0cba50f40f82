from django.db import migrations, models
from django.db.models import Q

_WAITING = Q(state="waiting")
_INDEXES = [
    models.Index(fields=["-priority", "id"], condition=_WAITING & Q(needs="host"), name="work_of_host"),
    models.Index(
        fields=["-priority", "id"],
        condition=_WAITING & Q(lent=None, match="") & ~Q(needs="host"),
        name="work_to_lend",
    ),
    models.Index(
        fields=["priority"],
        condition=_WAITING & Q(lent__isnull=False) | Q(state="out") & ~Q(secret=""),
        name="work_lent",
    ),
    models.Index(fields=["made"], condition=Q(state="done"), name="work_done"),
    models.Index(fields=["id"], condition=Q(state__in=("failed", "cancelled")), name="work_given_up"),
]


class Migration(migrations.Migration):
    """The host asks several times a second what it may lend: it must not read all work that waits or is done."""

    dependencies = [("arena", "0230_lacks")]

    operations = [migrations.AddIndex(model_name="work", index=index) for index in _INDEXES]
