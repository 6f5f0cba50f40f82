from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

BEFORE = import_module("arena.migrations.0040_claim_and_answer")
# Says whether somebody watches. A row of which a match is still open is nobody's to claim.
CLAIM = (
    BEFORE.CLAIM.replace("    taken arena_work;\n", "    taken arena_work;\n    is_seen boolean;\n")
    .replace("machine.distrusted = '';\n        RETURN jsonb_build_object('kept', FOUND);",
             "machine.distrusted = ''\n        RETURNING watched INTO is_seen;\n"
             "        RETURN jsonb_build_object('kept', FOUND, 'watched', coalesce(is_seen, false));")
    .replace("AND NOT machine.draining", "AND NOT machine.draining AND match = ''")
    .replace("'secret', taken.secret\n", "'secret', taken.secret, 'watched', taken.watched\n")
)  # fmt: skip
SLICE = """
CREATE OR REPLACE FUNCTION arena_slice(said text, wanted bigint, held integer, shown text, part text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
BEGIN
    PERFORM 1 FROM arena_work
    WHERE id = wanted AND state = 'out' AND token = held AND secret = shown AND secret <> '' AND watched FOR UPDATE;
    IF NOT FOUND OR octet_length(part) > 1048576
        OR (SELECT count(*) FROM arena_logslice WHERE work_id = wanted) >= 100
    THEN
        RETURN false;
    END IF;
    INSERT INTO arena_logslice (work_id, token, worker, found, at)
    SELECT id, token, worker, part, now() FROM arena_work WHERE id = wanted;
    RETURN true;
END $$
"""
NOBODY_ELSE = "REVOKE ALL ON FUNCTION arena_slice(text, bigint, integer, text, text) FROM PUBLIC"
GONE = "DROP FUNCTION IF EXISTS arena_slice(text, bigint, integer, text, text)"


def make(apps, schema_editor):
    _run(schema_editor, CLAIM, SLICE, NOBODY_ELSE)


def remove(apps, schema_editor):
    _run(schema_editor, BEFORE.CLAIM, GONE)


def _run(schema_editor, *statements):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        schema = cursor.fetchone()[0]
        for statement in statements:
            cursor.execute(statement.replace("{schema}", schema))


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0130_joined_guest"),
    ]

    operations = [
        migrations.CreateModel(
            name="LogSlice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.PositiveIntegerField()),
                ("worker", models.CharField(max_length=64)),
                ("found", models.TextField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("work", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="arena.work")),
            ],
        ),
        migrations.AddField(
            model_name="work",
            name="match",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="work",
            name="watched",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(
                condition=models.Q(("match", ""), _negated=True), fields=["match"], name="work_with_a_match"
            ),
        ),
        migrations.RunPython(make, remove),
    ]
