"""Every setting of Arena, read from the environment. `.env.example` lists the names with their defaults.

Nothing has to be set on one's own machine: the data folder and a secret key are made when they are first needed. What
cannot be read or written stops the start with one line (`ImproperlyConfigured`, printed by manage.py) that says what to
do.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import tempfile
import warnings
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from arena import environment, paths
from arena.catalogues import Compiled
from arena.common.limits import LOCAL_HOSTS
from arena.common.logs import REFUSALS, refused_in_a_line

BASE_DIR = paths.ROOT


def _data_folder() -> Path:
    """`ARENA_DATA`, tried by writing into it: permissions say nothing on a read-only disk."""
    chosen = environment.text("ARENA_DATA")
    folder = Path(chosen).absolute() if chosen else _usual_data_folder()
    if environment.only_helps:
        return folder
    try:
        if not chosen:
            folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise ImproperlyConfigured(
            f"ARENA_DATA={folder}: cannot write there ({error.strerror}). "
            "Make the folder and give it to this user, or set ARENA_DATA to one that can be written."
        ) from None


def _usual_data_folder() -> Path:
    """`var/` of a checkout; of an installed Arena the place that the XDG base directory specification names."""
    if paths.IS_CHECKOUT:
        return BASE_DIR / "var"
    home = environment.text("XDG_DATA_HOME")
    return (Path(home) if home.startswith("/") else Path.home() / ".local" / "share") / "arena"


def _secret_key() -> str:
    """`SECRET_KEY`, else the key in the data folder, which is made when it is first needed."""
    key, kept = environment.text("SECRET_KEY"), ARENA_DATA / "secret_key"
    if environment.only_helps:
        return "used for nothing"
    try:
        if not key and not kept.exists():
            _keep_new_key(kept)
        key = key or kept.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"{kept}: {error}. Remove it, and a new key is made; or set SECRET_KEY.") from None
    if not key:
        raise ImproperlyConfigured(f"{kept} is empty. Remove it, and a new key is made; or set SECRET_KEY.")
    return key


def _keep_new_key(kept: Path) -> None:
    """Whole or not at all, for nobody else's eyes; of two who start at once, the second takes the first's."""
    handle, made = tempfile.mkstemp(dir=kept.parent)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(50))
    try:
        os.link(made, kept)
    except FileExistsError:
        pass
    except OSError:  # exFAT and FAT have no links
        _rename_if_first(made, kept)
    finally:
        Path(made).unlink(missing_ok=True)


def _rename_if_first(made: str, kept: Path) -> None:
    """The lock is one of the folder, so that nothing is left of it. NFS may refuse it, but has links."""
    folder = os.open(kept.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not kept.exists():
            os.rename(made, kept)
    finally:
        os.close(folder)


ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")


def _database() -> dj_database_url.DBConfig:
    url = environment.text("DATABASE_URL", f"sqlite:///{quote(str(ARENA_DATA))}/arena.sqlite3")
    try:
        found = dj_database_url.parse(url)
        named = found["NAME"] or "service" in found.get("OPTIONS", {})
        if found["ENGINE"] not in ENGINES or not named:
            raise ValueError(f"received {url.partition(':')[0]}://{'' if named else ' without a name'}")
    except ValueError as error:
        # Without the address itself: it holds a password.
        said = str(error).rstrip(".")
        raise ImproperlyConfigured(f"DATABASE_URL: {said}. Expected postgres://user:password@host/name.") from None
    if found["ENGINE"].endswith("sqlite3"):
        found["OPTIONS"] = dict(SQLITE_OPTIONS)
    else:
        found["OPTIONS"] = {**POSTGRES_OPTIONS, **found.get("OPTIONS", {})}
    return found


def _check_engine(database: str) -> None:
    said = f"ARENA_ENGINE={ARENA_ENGINE}"
    if not database.endswith("postgresql"):
        raise ImproperlyConfigured(f"{said} needs PostgreSQL: set DATABASE_URL, or unset ARENA_ENGINE.")
    if find_spec("procrastinate") is None:
        raise ImproperlyConfigured(f"{said}: it is not installed. Run pip install 'arena[cluster]'.")


def _reading_only(database: dj_database_url.DBConfig) -> dj_database_url.DBConfig:
    """The same database over connections that cannot write, and never wait for those that do."""
    if "init_command" in (options := dict(database.get("OPTIONS", {}))):  # SQLite
        options |= {"transaction_mode": "DEFERRED", "init_command": f"{options['init_command']} PRAGMA query_only = 1;"}
    else:
        # What DATABASE_URL says stays: the schema, for example.
        options["options"] = f"{options.get('options', '')} -c default_transaction_read_only=on".strip()
    return {**database, "OPTIONS": options}


# -- where and who -----------------------------------------------------------------------------------------------------

DEBUG = environment.one_of("DEBUG", "0", {"0": "", "1": "1", "false": "", "true": "1"}) == "1"
ARENA_DATA = _data_folder()
SECRET_KEY = _secret_key()

# What pages tell bot authors to connect to; empty: the host of the page's own address.
ARENA_PUBLIC_HOST = environment.host("ARENA_PUBLIC_HOST")
# Exempt from limits per address, beside loopback: a classroom behind one address.
ARENA_TRUSTED_NETS = environment.networks("ARENA_TRUSTED_NETS")
ARENA_METRICS = environment.networks("ARENA_METRICS")  # who may read /metrics, beside this machine
# How many of the last X-Forwarded-For entries were written by our own proxies.
TRUSTED_PROXY_HOPS = environment.number("TRUSTED_PROXY_HOPS", 0)

ALLOWED_HOSTS = environment.hosts("ALLOWED_HOSTS", " ".join(LOCAL_HOSTS))
_public = urlsplit(f"//{ARENA_PUBLIC_HOST}").hostname or ARENA_PUBLIC_HOST
if _public and _public not in ALLOWED_HOSTS:
    ALLOWED_HOSTS.append(_public)
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "arena.web.views.csrf_failed"
if TRUSTED_PROXY_HOPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# All pages over TLS, which a proxy speaks: cookies are sent over nothing else, and browsers ask for nothing else.
ARENA_HTTPS = environment.one_of("ARENA_HTTPS", "0", {"0": "", "1": "1"}) == "1"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = ARENA_HTTPS
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if ARENA_HTTPS else 0
# HSTS for other names of the domain, and forever: an arena does not decide that for its neighbours. And three checks
# that look for Django's own names in MIDDLEWARE, where classes made from them stand (arena/web/on_loop.py).
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021", "security.W001", "security.W002", "security.W003"]

# What one address may do, this machine and ARENA_TRUSTED_NETS excepted, and one websocket: docs/deployment.md says why.
ARENA_LIMIT_PAGES = environment.rate("ARENA_LIMIT_PAGES", "600,20")
ARENA_LIMIT_CONNECTIONS = environment.share("ARENA_LIMIT_CONNECTIONS", "4000,400")
ARENA_LIMIT_FRAMES = environment.rate("ARENA_LIMIT_FRAMES", "200,50")
ARENA_LIMIT_PINGS = environment.rate("ARENA_LIMIT_PINGS", "10,1")
ARENA_LIMIT_BYTES = environment.rate("ARENA_LIMIT_BYTES", "262144,65536")
ARENA_LIMIT_BOTS = environment.share("ARENA_LIMIT_BOTS", "4000,200")
ARENA_LIMIT_NEW_ROOMS = environment.rate("ARENA_LIMIT_NEW_ROOMS", "60,0.2")
ARENA_LIMIT_NEW_MATCHES = environment.rate("ARENA_LIMIT_NEW_MATCHES", "60,1")
ARENA_TALK = environment.one_of("ARENA_TALK", "1", {"0": "", "1": "1"}) == "1"
# Whether built-in players play on the first page and on the wall while somebody looks and nobody plays.
ARENA_EXHIBITIONS = environment.one_of("ARENA_EXHIBITIONS", "1", {"0": "", "1": "1"}) == "1"
# A match that waits for its people ends without result after this many days without a move.
ARENA_WAITING_DAYS = environment.number("ARENA_WAITING_DAYS", 14, most=36_500)

# A bot that waits on a socket has a seat port to itself while it does; owners may give a bot a port for its own.
ARENA_SEAT_PORTS = environment.ports("ARENA_SEAT_PORTS", "4300-4399")
ARENA_BOT_PORTS = environment.ports("ARENA_BOT_PORTS", "4400-4499")
# The files of a bot that the server runs lie in a folder of its name in there.
ARENA_BOTS = Path(environment.text("ARENA_BOTS") or ARENA_DATA / "bots").absolute()
# The lowest level of the sandbox (docs/sandbox.md) at which the server runs the command of a bot.
ARENA_SANDBOX_MIN = int(environment.one_of("ARENA_SANDBOX_MIN", "2", {level: level for level in "0123"}))
ARENA_WEBHOOK_NETS = environment.networks("ARENA_WEBHOOK_NETS")  # where webhooks may lead, beside the public internet
ARENA_WORK_SLOTS = environment.number("ARENA_WORK_SLOTS", 1)  # processes that compute in the background
ARENA_PLAY_SLOTS = environment.number("ARENA_PLAY_SLOTS", max(1, len(os.sched_getaffinity(0)) - 1))  # for events
ARENA_WORK_NICE = environment.number("ARENA_WORK_NICE", 19)  # how much they give way
# "" if all is computed on this machine; else what brings it to workers on others (docs/cluster.md).
ARENA_ENGINE = environment.one_of("ARENA_ENGINE", "local", {"local": "", "procrastinate": "procrastinate"})
# Where workers ask for the programs of bots, without which those are run on this machine alone.
ARENA_WORKER_URL = environment.address("ARENA_WORKER_URL")

# -- database ----------------------------------------------------------------------------------------------------------

# FULL: a move that anyone saw survives a power cut. NORMAL survives kill -9, not a power cut, and commits faster.
ARENA_SYNC = environment.one_of("ARENA_SYNC", "full", {"full": "FULL", "normal": "NORMAL"})

SQLITE_OPTIONS = {
    # A transaction that reads first and writes later fails with "database is locked" however long the timeout is.
    # Measured with 6 writers x 150 plies: DEFERRED 838 lock errors, IMMEDIATE none.
    "transaction_mode": "IMMEDIATE",
    # Longer and a stop would wait for it; the ledger tries again by itself, and gives the time back to the clocks.
    "timeout": 5,
    # Each commit writes whole pages and their checksums. Measured, a lone move: 38 µs with 4 KiB, 33 with 2, 37 with 1.
    "init_command": (
        "PRAGMA page_size = 2048; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 2000; "
        f"PRAGMA cache_size = -512; PRAGMA synchronous = {ARENA_SYNC};"
    ),
}
# A server that is gone without a word is noticed before the lease of the host runs out.
POSTGRES_OPTIONS = {"connect_timeout": 3, "tcp_user_timeout": 5000, "keepalives_idle": 5, "keepalives_interval": 2}
# CONN_MAX_AGE stays 0: kept connections leak under ASGI, one per thread.
DATABASES = {"default": _database()}
if ARENA_ENGINE:
    _check_engine(DATABASES["default"]["ENGINE"])
ARENA_PAGES = environment.number("ARENA_PAGES", 1)  # how many processes make pages, where `serve --pages` does not say
# In a page worker (arena/cluster/pages.py) the connection of pages cannot write; only sessions are kept, over another.
ARENA_PAGE_WORKER = environment.one_of("ARENA_PAGE_WORKER", "0", {"0": "", "1": "1"}) == "1"
if ARENA_PAGE_WORKER:
    DATABASES |= {"sessions": DATABASES["default"], "default": _reading_only(DATABASES["default"])}
    DATABASE_ROUTERS = ["arena.cluster.reading.SessionsElsewhere"]
# Several processes on one PostgreSQL are one host and its fronts (docs/deployment.md); they talk over this Redis.
REDIS_URL = environment.text("REDIS_URL")
# Several arenas may use one Redis.
_shared = "/".join(str(DATABASES["default"].get(name, "")) for name in ("HOST", "PORT", "NAME"))
REDIS_PREFIX = "arena:" + hashlib.sha256(_shared.encode()).hexdigest()[:10]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Django ------------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    # Its pages are found in arena/urls.py: no command but the server needs what they import, which is all of the host.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
    "arena",
]
if ARENA_ENGINE:
    INSTALLED_APPS.append("procrastinate.contrib.django")  # for its tables
MIDDLEWARE = [
    "arena.web.privacy.PrivacyMiddleware",
    "arena.web.system.monitoring.MonitoringMiddleware",
    "arena.web.languages.LanguageMiddleware",
    "arena.web.on_loop.Security",
    "arena.web.system.static_files.ReadWhenAsked",
    "arena.web.system.compression.PagesCompressed",
    "arena.web.on_loop.Sessions",
    "arena.web.on_loop.Common",
    "arena.web.on_loop.Csrf",
    "arena.web.on_loop.Authentication",
    "arena.web.on_loop.Messages",
    "arena.web.on_loop.Frames",
    "arena.web.on_loop.ContentPolicy",
    "django_htmx.middleware.HtmxMiddleware",
    "arena.web.guests.GuestMiddleware",
    "arena.web.middleware.NoNul",
    "axes.middleware.AxesMiddleware",
]
_OF_PACKAGES = "django.template.loaders.app_directories.Loader"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [paths.FILES / "templates"],
        "OPTIONS": {
            "loaders": [
                ("django.template.loaders.cached.Loader", ["arena.web.system.flush.FlushLoader", _OF_PACKAGES])
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "arena.web.frame.frame",
            ],
            "builtins": ["django.templatetags.i18n"],
            "libraries": {"arena_control": "arena.admin.control", "arena_sections": "arena.admin.sections"},
        },
    }
]
ROOT_URLCONF = "arena.urls"
ASGI_APPLICATION = "arena.asgi.application"
FORMAT_MODULE_PATH = "arena.admin.formats"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
# Ten wrong passwords for one name from one address, then a quarter of an hour of none; other addresses are not hurt.
# Kept in the database, so that it holds over all processes. A right password is not written down anywhere.
AXES_FAILURE_LIMIT = 10
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False  # its lists read whole tables: arena/admin/tables.py
# The server has seen through our own proxies (TRUSTED_PROXY_HOPS) before Django is asked.
AXES_CLIENT_IP_CALLABLE = "arena.web.people.accounts.counted_address"
AXES_USERNAME_CALLABLE = "arena.web.people.accounts.counted_name"
AXES_LOCKOUT_CALLABLE = "arena.web.people.accounts.locked_out"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# A guest is their session: half a year, so that "the same guest next week" holds.
SESSION_COOKIE_AGE = 180 * 24 * 3600
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
# A catalogue for each subject; `tools/catalogue.py` says which files belong to which.
_SUBJECTS = () if environment.only_helps else ("match", "lobby", "bots")
LOCALE_PATHS = [Compiled(paths.FILES / "locale" / subject, ARENA_DATA) for subject in _SUBJECTS]
TIME_ZONE = "UTC"
USE_TZ = True

# -- what a page may load ----------------------------------------------------------------------------------------------

X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# What a page of ours never asks a browser for, neither may anything that got into one. Sound and full screen stay.
_NEVER = "accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment usb"
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _NEVER.split())

STATIC_URL = "/static/"
STATICFILES_DIRS = [paths.FILES / "static", ("kernel", paths.KERNEL)]
# Made once at the start, so a fresh clone serves at once: one style sheet and one script a page, compressed, versioned.
STATICFILES_FINDERS = [
    "arena.web.system.static_files.Made",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
STORAGES = {"staticfiles": {"BACKEND": "arena.web.system.static_files.Versioned"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/[0-9a-f]{10}/"
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json"}
WHITENOISE_ALLOW_ALL_ORIGINS = False  # nobody else's page needs our files
# WhiteNoise answers with an opened file; that Django reads it in a thread is wanted, not worth a warning.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

# -- what is said ------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {name: {"()": f"arena.common.logs.{name.title()}Lines"} for name in ("text", "json")},
    "filters": {
        "repeats": {"()": "arena.common.logs.Repeats", "trusted_nets": ARENA_TRUSTED_NETS},
        "refused_in_a_line": {"()": lambda: refused_in_a_line},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["repeats"],
            "formatter": environment.one_of("LOG_FORMAT", "text", {"text": "text", "json": "json"}),
        },
        "recent_errors": {"()": "arena.common.logs.the_recent_errors"},
    },
    "root": {
        "handlers": ["console", "recent_errors"],
        "level": environment.one_of(
            "LOG_LEVEL", "info", {name: name.upper() for name in ("debug", "info", "warning", "error")}
        ),
    },
    # Django's own handlers print only with DEBUG, and would mail to nobody. Its DEBUG lines are SQL with all values.
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"filters": ["refused_in_a_line"]},
        **{f"django.security.{kind}": {"filters": ["refused_in_a_line"]} for kind in REFUSALS},
        "axes": {"level": "WARNING"},  # its INFO is a line for every step of its own
        # A database that fails is a line of arena.worker's: of these it would be one for each attempt, and tracebacks.
        "procrastinate": {"level": "CRITICAL"},
        "psycopg.pool": {"level": "ERROR"},
    },
}
