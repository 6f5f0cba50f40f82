#!/bin/sh
# What `make run` does once the environment stands: settings, the tables, a few matches to look
# at, the server.
# Settings come from .env where there is one; what the caller's environment says wins. Arguments go to `serve`.

# Each line as systemd and docker read the same file: `&`, `$` and blanks are part of a value, which a shell would obey.
callers=" $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p' | tr '\n' ' ')"
[ -f .env ] && while IFS= read -r line || [ -n "$line" ]; do
    line="${line%"$(printf '\r')"}"
    name="${line%%=*}"
    value="${line#*=}"
    case "$name" in "$line" | "" | [!A-Za-z_]* | *[!A-Za-z0-9_]*) continue ;; esac
    case "$callers" in *" $name "*) continue ;; esac
    case "$value" in \"*\" | \'*\') value="${value#?}" value="${value%?}" ;; esac
    export "$name=$value"
done <.env

.venv/bin/python manage.py migrate --alone --verbosity 0 || exit 1
.venv/bin/python manage.py demo || exit 1
exec .venv/bin/python manage.py serve --port "${PORT:-8000}" "$@"
