from importlib import import_module

from django.db import migrations, models

BEFORE = import_module("arena.migrations.0170_slices")
# A worker that gives a run back because its machine lacks something says what, while it still has the run. Who claims
# the row next may have what it needs; one that has given back another run a moment ago probably has not.
CLAIM = (
    BEFORE.CLAIM.replace(
        "(name, sort, slots, speed, rules, version, sandbox, kinds, since, seen, draining, distrusted,\n"
        "         answered, lost, late)",
        "(name, sort, slots, speed, rules, version, sandbox, kinds, since, seen, draining, distrusted,\n"
        "         answered, lost, late, lacks, lacked)",
    )
    .replace(
        "now(), now(), false, '', 0, 0, 0)",
        "now(), now(), false, '', 0, 0, 0,\n"
        "            coalesce(left(said->>'lacks', 500), ''), CASE WHEN said ? 'lacks' THEN now() END)",
    )
    .replace(
        "seen = EXCLUDED.seen\n",
        "seen = EXCLUDED.seen,\n"
        "        lacks = CASE WHEN said ? 'lacks' THEN EXCLUDED.lacks ELSE arena_machine.lacks END,\n"
        "        lacked = coalesce(EXCLUDED.lacked, arena_machine.lacked)\n",
    )
    .replace(
        "UPDATE arena_work SET until = now() + interval '20 seconds'\n",
        "UPDATE arena_work SET until = now() + interval '20 seconds',\n"
        "            lacked = CASE WHEN said ? 'lacks' THEN coalesce(lacked, now()) ELSE lacked END\n",
    )
    .replace(
        "secret = gen_random_uuid()::text\n",
        "secret = gen_random_uuid()::text,\n"
        "        lacked = CASE WHEN machine.lacked > now() - interval '2 minutes' THEN lacked END\n",
    )
)


def make(apps, schema_editor):
    BEFORE._run(schema_editor, CLAIM)


def remove(apps, schema_editor):
    BEFORE._run(schema_editor, BEFORE.CLAIM)


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0220_names_in_admin"),
    ]

    operations = [
        migrations.AddField(
            model_name="machine",
            name="lacked",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="machine",
            name="lacks",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="work",
            name="lacked",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(make, remove),
    ]
