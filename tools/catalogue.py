"""The catalogues of sentences: `python -m tools.catalogue` brings them up to date, `--check` only says what is missing.

It collects every sentence of the pages: in Python where `gettext` and its relatives are called, in templates where `{%
translate %}` and its relatives stand, in scripts where `_("…")` and `_n("…", "…")` do, where a `Refusal` or `said` has
words of its own, where a table has them (`TABLES`), and in the files that pages show (`SHOWN`).
`locale/<subject>/de/LC_MESSAGES/django.po` then holds them sorted, each with its German as before; new entries are
empty, to be filled by hand. Nothing is guessed, so nothing is ever fuzzy.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation.template import templatize

from arena.catalogues import PO, EnglishWords, Sentence, read

ROOT = Path(__file__).parents[1]
LANGUAGES = ("de",)
# Whose sentences lie in which catalogue, by how the path of their file begins; the rest is `match`.
SUBJECTS = {
    "lobby": (
        *(f"arena/web/{name}/" for name in ("lobby", "room", "people", "tournaments")),
        *("arena/web/library/a", "arena/web/library/game", "arena/bots/seats/choices", "arena/bots/seats/room_maker"),
        *(f"templates/arena/{name}" for name in ("home", "offline", "watch", "room", "new_room", "archive", "game")),
        *(f"templates/arena/{name}" for name in ("about", "login", "signup", "settings", "profile", "rank", "claim")),
        *(f"templates/arena/fragments/{name}" for name in ("lobby", "room", "featured", "archive", "open_", "account")),
        *(f"templates/arena/fragments/{name}" for name in ("matches_list", "wall", "mini", "field", "form_", "rounds")),
        *(f"templates/arena/fragments/{name}" for name in ("dialog", "exhibition")),
        "templates/arena/way_back",
        *("templates/arena/tournament", "arena/rooms/", "arena/tournaments/", "static/js/offline", "static/js/lobby"),
        *("arena/common/", "arena/work/webhooks/", "arena/web/entries"),
    ),
    "bots": (
        *(
            "arena/web/bots/",
            "arena/web/library/",
            "arena/web/card_words",
            "arena/bots/",
            "arena/web/match/wire_",
            "arena/protocols/",
            "docs/",
        ),
        *("static/js/wizard", "static/js/wire", "static/js/copy"),
        *(f"templates/arena/{name}" for name in ("bot", "wizard", "protocol", "decide", "error")),
        *(f"templates/arena/fragments/{name}" for name in ("bot", "wizard", "why_", "wire")),
    ),
    "match": (),
}
FOLDERS = ("arena", "games", "templates", "static/js", "docs")
# How many of the first words of a call are what it says: context, English, English for many.
CALLS = {
    **dict.fromkeys(("_", "later", "gettext", "gettext_lazy", "gettext_noop", "said", "BadName"), "o"),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "_n", "said_of_many"), "om"),
    **dict.fromkeys(("pgettext", "pgettext_lazy", "_p"), "co"),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), "com"),
    "Refusal": " o",
    "GuardRefusal": "  o",
    "StorageTrouble": " o",
    "Limit": "o",
}
# What the rules of a game refuse is said on pages; elsewhere the same is for authors of bots, in English.
OF_RULES = dict.fromkeys(("InvalidMove", "IllegalMove"), "o")
# Each of these words of a call is a sentence; and what a class says of itself.
TABLES = {"BotError": slice(1, 4)}
FACTS = {"expects": "arena/protocols/"}
# What pages show of files that people write, in the reader's language.
SHOWN = {
    "docs/games/": ("lead", "rules", "counts", "columns", "boards.words"),
    "docs/protocols/failures.toml": ("failures.when", "failures.do"),
    "arena/protocols/": ("lead", "connect.where", "failures.when", "failures.do"),
}
_TEXT = r"""u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_IN_TEMPLATE = re.compile(rf"\b(n?p?gettext|_)\({_TEXT}(?:, *{_TEXT})?(?:, *{_TEXT})?")
_IN_SCRIPT = re.compile(r'(?<![\w.])(_[np]?)\(("(?:[^"\\]|\\.)*")(?:, *("(?:[^"\\]|\\.)*"))?')
_NAMED = re.compile(r"%\(\w+\)[a-z]|\{\w*\}|%%|%[sd]")
_TAG = re.compile(r"</?[a-z][^>]*>")
HEADER = (
    "Language: {language}\\nMIME-Version: 1.0\\nContent-Type: text/plain; charset=UTF-8\\n"
    "Content-Transfer-Encoding: 8bit\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"
)


def sentences(root: Path = ROOT) -> dict[EnglishWords, set[str]]:
    """Every sentence of the project with the files that say it."""
    found: dict[EnglishWords, set[str]] = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if name.startswith(("templates/admin/", "arena/admin/", "arena/migrations/", "arena/management/")):
                continue  # staff reads English
            for key in _said_in(path, name):
                found.setdefault(key, set()).add(name)
    return found


def _said_in(path: Path, name: str) -> Iterator[EnglishWords]:
    if path.suffix == ".py":
        facts = {fact for fact, folder in FACTS.items() if name.startswith(folder)}
        calls = CALLS | OF_RULES if name.startswith("games/") else CALLS
        yield from _of_python(path.read_text(encoding="utf-8"), facts, calls)
    elif path.suffix == ".toml":
        shown = next((keys for place, keys in SHOWN.items() if name.startswith(place)), ())
        yield from _of_toml(tomllib.loads(path.read_text(encoding="utf-8")), shown)
    elif path.suffix == ".html":
        yield from _of_template(path.read_text(encoding="utf-8"))
    elif path.suffix == ".js":
        yield from _of_script(path.read_text(encoding="utf-8"))


def _of_python(text: str, facts: Set[str] = frozenset(), calls: Mapping[str, str] = CALLS) -> Iterator[EnglishWords]:
    tree = ast.parse(text)
    constants = {name: value.value for name, value in _assigned(tree.body) if isinstance(value, ast.Constant)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            words = [_constant(each, constants) for each in node.args]
            yield from _key(calls.get(name, ""), words)
            for word in words[TABLES.get(name, slice(0))]:
                yield from _key("o", [word])
        elif isinstance(node, ast.ClassDef):
            for name, value in _assigned(node.body):
                if name in facts:
                    yield from _key("o", [_constant(value, constants)])


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """The names that get a value in a module or a class."""
    for each in body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            yield each.targets[0].id, each.value


def _constant(node: ast.expr, constants: Mapping[str, object]) -> object:
    """The text written there, which may contain a constant of the same module. None for text that is made at run
    time.
    """
    if isinstance(node, ast.JoinedStr):
        parts = [_constant(each, constants) for each in node.values]
        return "".join(map(str, parts)) if None not in parts else None
    if isinstance(node, ast.FormattedValue):
        return _constant(node.value, constants)
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    return node.value if isinstance(node, ast.Constant) else None


def _of_toml(value: Any, shown: Sequence[str], place: str = "") -> Iterator[EnglishWords]:
    """`shown` are places such as `lead` and `boards.words`; what stands below one of them is a sentence, or several."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _of_toml(inner, shown, place if place in shown else f"{place}.{name}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from _of_toml(inner, shown, place)
    elif place in shown:
        yield from _key("o", [value])


def _of_template(text: str) -> Iterator[EnglishWords]:
    for name, *quoted in _IN_TEMPLATE.findall(templatize(text)):
        yield from _key(CALLS[name], [ast.literal_eval(each) for each in quoted if each])


def _of_script(text: str) -> Iterator[EnglishWords]:
    for name, *quoted in _IN_SCRIPT.findall(text):
        yield from _key(CALLS[name], [ast.literal_eval(each) for each in quoted if each])


def _key(roles: str, words: Sequence[object]) -> Iterator[EnglishWords]:
    said = {role: word for role, word in zip(roles, words, strict=False) if isinstance(word, str) and role != " "}
    if roles and said.get("o") and len(said) == len(roles.strip()):
        yield EnglishWords(said.get("c", ""), said["o"], said.get("m", ""))


def subject_of(name: str) -> str:
    """The catalogue to which a file belongs: that of the longest matching beginning."""
    fits = [(len(start), subject) for subject, starts in SUBJECTS.items() for start in starts if name.startswith(start)]
    return max(fits)[1] if fits else "match"


def wanted(found: dict[EnglishWords, set[str]]) -> dict[str, dict[EnglishWords, list[str]]]:
    """The sentences that each catalogue must contain, and where they occur."""
    made: dict[str, dict[EnglishWords, list[str]]] = {subject: {} for subject in SUBJECTS}
    for key, names in found.items():
        for name in names:
            made[subject_of(name)].setdefault(key, []).append(name)
    return made


def updated(
    old: dict[EnglishWords, Sentence],
    keys: dict[EnglishWords, list[str]],
    others: Iterable[dict[EnglishWords, Sentence]],
) -> list[Sentence]:
    """The sentences of a catalogue as they are now, each with the words that it, or another catalogue, had for it."""
    made = []
    for key, names in sorted(keys.items(), key=lambda item: (item[0].one.lower(), item[0])):
        known = [each[key].words for each in (old, *others) if key in each and all(each[key].words)]
        made.append(Sentence(key, known[0] if known else [""] * (2 if key.many else 1), False, sorted(names)))
    return made


def written(language: str, made: list[Sentence]) -> str:
    lines = ['msgid ""', 'msgstr ""', *(f'"{line}\\n"' for line in HEADER.format(language=language).split("\\n")[:-1])]
    for each in made:
        lines += ["", *(f"#: {name}" for name in each.places)]
        lines += [f"msgctxt {_quoted(each.key.context)}"] if each.key.context else []
        lines.append(f"msgid {_quoted(each.key.one)}")
        if each.key.many:
            lines.append(f"msgid_plural {_quoted(each.key.many)}")
            lines += [f"msgstr[{form}] {_quoted(word)}" for form, word in enumerate(each.words)]
        else:
            lines.append(f"msgstr {_quoted(each.words[0])}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    signs = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(signs.get(sign, sign) for sign in text) + '"'


def problems(root: Path = ROOT) -> list[str]:
    """Sentences that are untranslated, fuzzy or unused, have lost a placeholder, or are translated in two ways."""
    needed, wrong = wanted(sentences(root)), []
    for language in LANGUAGES:
        said: dict[EnglishWords, list[str]] = {}
        for subject, keys in needed.items():
            old = _read(root, subject, language)
            where = f"{subject}/{language}"
            wrong += [
                f"{where}: not translated: {key.one!r} ({names[0]})" for key, names in keys.items() if key not in old
            ]
            for key, each in old.items():
                if key not in keys:
                    wrong.append(f"{where}: nobody says this any more: {key.one!r}")
                elif not all(each.words) or each.fuzzy:
                    wrong.append(f"{where}: not translated: {key.one!r} ({keys[key][0]})")
                else:
                    wrong += [f"{where}: {key.one!r}: {what}" for what in _lost(each)]
                    if said.setdefault(key, each.words) != each.words:
                        wrong.append(f"{where}: {key.one!r} is {said[key]} elsewhere: agree, or use pgettext")
    return wrong


def _lost(each: Sentence) -> Iterator[str]:
    """The placeholders that are in the English sentence but not in the translation, or the other way round."""
    if each.key.many and len(each.words) != 2:
        yield f"{len(each.words)} forms instead of 2"
    for form, words in enumerate(each.words):
        english = each.key.many if form and each.key.many else each.key.one
        for what in (_NAMED, _TAG):
            has, needs = sorted(what.findall(words)), sorted(what.findall(english))
            # The form for one may say the number or not: "1 move", "one move".
            least = set(needs) & set(what.findall(each.key.one)) if each.key.many and not form else set(needs)
            if has != needs and not (
                each.key.many and not form and least <= set(has) <= set(what.findall(each.key.many))
            ):
                yield f"{words!r} has {has}, expected {needs}"


def _read(root: Path, subject: str, language: str) -> dict[EnglishWords, Sentence]:
    path = root / "locale" / subject / language / PO
    found = read(path) if path.exists() else {}
    found.pop(EnglishWords("", ""), None)
    return found


def update(root: Path = ROOT) -> None:
    needed = wanted(sentences(root))
    for language in LANGUAGES:
        old = {subject: _read(root, subject, language) for subject in needed}
        for subject, keys in needed.items():
            made = updated(old[subject], keys, old.values())
            path = root / "locale" / subject / language / PO
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written(language, made), encoding="utf-8")
            for key in old[subject].keys() - keys.keys():
                print(f"{subject}: gone: {key.one!r}, which was {old[subject][key].words}")
            missing = sum(not all(each.words) for each in made)
            print(f"{subject}: {len(made)} sentences, {missing} not translated")


def main(arguments: list[str]) -> int:
    if "DJANGO_SETTINGS_MODULE" not in os.environ:
        settings.configure()  # nothing is needed of them
    if arguments == ["--check"]:
        wrong = problems()
        print("\n".join(wrong) or "Every sentence is translated.")
        return 1 if wrong else 0
    update()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
