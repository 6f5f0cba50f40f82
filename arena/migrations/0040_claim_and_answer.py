from django.db import migrations

# The two functions that a worker may call. They run with the rights of the tables' owner, so the role of the workers
# needs none on the tables; what they look up is found in the schema they were made in, and nowhere else.
CLAIM = """
CREATE OR REPLACE FUNCTION arena_claim(said jsonb, wanted bigint, held integer, shown text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
DECLARE
    machine arena_machine;
    taken arena_work;
BEGIN
    INSERT INTO arena_machine
        (name, sort, slots, speed, rules, version, sandbox, kinds, since, seen, draining, distrusted,
         answered, lost, late)
    VALUES (said->>'name', said->>'sort', (said->>'slots')::smallint, (said->>'speed')::integer, said->>'rules',
            said->>'version', (said->>'sandbox')::smallint, said->'kinds', now(), now(), false, '', 0, 0, 0)
    ON CONFLICT (name) DO UPDATE SET
        sort = EXCLUDED.sort, slots = EXCLUDED.slots, speed = EXCLUDED.speed, rules = EXCLUDED.rules,
        version = EXCLUDED.version, sandbox = EXCLUDED.sandbox, kinds = EXCLUDED.kinds, seen = EXCLUDED.seen
    RETURNING * INTO machine;
    IF wanted IS NULL THEN
        RETURN jsonb_build_object('draining', machine.draining, 'distrusted', machine.distrusted);
    END IF;
    IF held IS NOT NULL THEN
        UPDATE arena_work SET until = now() + interval '20 seconds'
        WHERE id = wanted AND state = 'out' AND token = held AND secret = shown AND secret <> ''
            AND machine.distrusted = '';
        RETURN jsonb_build_object('kept', FOUND);
    END IF;
    UPDATE arena_work SET
        state = 'out', token = token + 1, until = now() + interval '20 seconds', worker = machine.name,
        secret = gen_random_uuid()::text
    WHERE id = wanted AND state = 'waiting' AND lent IS NOT NULL AND rules = machine.rules
        AND needs IN ('', machine.sort) AND sandbox <= machine.sandbox AND machine.kinds ? kind
        AND machine.distrusted = '' AND NOT machine.draining
    RETURNING * INTO taken;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN jsonb_build_object(
        'work', taken.id, 'kind', taken.kind, 'key', taken.key, 'job', taken.job, 'token', taken.token,
        'secret', taken.secret
    );
END $$
"""
ANSWER = """
CREATE OR REPLACE FUNCTION arena_answer(said text, wanted bigint, held integer, shown text, answer text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
BEGIN
    PERFORM 1 FROM arena_work
    WHERE id = wanted AND state = 'out' AND token = held AND secret = shown AND secret <> '' FOR UPDATE;
    IF NOT FOUND THEN
        UPDATE arena_machine SET late = late + 1 WHERE name = said;
        RETURN false;
    END IF;
    IF answer IS NULL THEN
        UPDATE arena_work SET state = 'waiting', until = NULL, lent = NULL, job = NULL WHERE id = wanted;
        RETURN true;
    END IF;
    IF octet_length(answer) > 16777216 THEN
        RAISE EXCEPTION 'received an answer of % bytes, expected at most 16777216', octet_length(answer);
    END IF;
    INSERT INTO arena_returned (work_id, token, worker, found, at)
    SELECT id, token, worker, answer, now() FROM arena_work WHERE id = wanted
    ON CONFLICT (work_id, token) DO NOTHING;
    RETURN true;
END $$
"""
NOBODY_ELSE = """
REVOKE ALL ON FUNCTION arena_claim(jsonb, bigint, integer, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION arena_answer(text, bigint, integer, text, text) FROM PUBLIC
"""
GONE = """
DROP FUNCTION IF EXISTS arena_claim(jsonb, bigint, integer, text);
DROP FUNCTION IF EXISTS arena_answer(text, bigint, integer, text, text)
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        schema = cursor.fetchone()[0]
        for statement in (CLAIM, ANSWER):
            cursor.execute(statement.replace("{schema}", schema))
        cursor.execute(NOBODY_ELSE)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(GONE)


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0039_workers"),
    ]

    operations = [
        migrations.RunPython(make, remove),
    ]
