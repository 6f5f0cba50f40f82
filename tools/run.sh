#!/bin/sh
# What `make run` does once the environment stands: settings, the tables, a few matches to look
# at, the server.
# Settings come from .env where there is one; what the caller's environment says wins. Arguments go to `serve`.

callers=$(export -p)
if [ -f .env ]; then
    set -a
    . ./.env
    set +a
    eval "$callers"
fi

.venv/bin/python manage.py migrate --verbosity 0 || exit 1
.venv/bin/python manage.py demo || exit 1
exec .venv/bin/python manage.py serve --port "${PORT:-8000}" "$@"
