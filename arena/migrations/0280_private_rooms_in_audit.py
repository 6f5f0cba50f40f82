from django.db import migrations

AT_ONCE = 500


def name_by_number(apps, schema_editor):
    """Earlier releases recorded the code of a private room, its key, where more of the staff read than may open it."""
    Audit, Room = apps.get_model("arena", "Audit"), apps.get_model("arena", "Room")
    said = Audit.objects.filter(act="room closed")
    codes = sorted(set(said.values_list("subject", flat=True)))
    for first in range(0, len(codes), AT_ONCE):
        private = Room.objects.filter(private=True, shown_code__in=codes[first : first + AT_ONCE])
        for pk, code in private.values_list("pk", "shown_code"):
            said.filter(subject=code).update(subject=f"private room {pk}")


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0270_kept_answer"),
    ]

    operations = [migrations.RunPython(name_by_number, migrations.RunPython.noop)]
