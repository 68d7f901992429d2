"""Writes the generated pages of the reference: `python docs/generate.py`.

`docs/check.py` and a test fail when a written page differs from the generated one.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import resources
from pathlib import Path

import click

from gnomon.airflow_compat.coverage import render_markdown
from gnomon.airflow_compat.type_stubs import render_stubs
from gnomon.entry.cli.commands import root
from gnomon.entry.cli.deployment.choose_deployment import WORKS_OVER_API
from gnomon.ground.config import OPTIONS, ConfigOption
from gnomon.ground.config.options import OPEN_SECTIONS
from gnomon.storage.store import migrations, statements

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

import page_files  # noqa: E402 - beside this file
import terminal_picture  # noqa: E402 - beside this file
import tutorial_session  # noqa: E402 - beside this file
from tests.conformance.airflow_example_verdicts import examples_page  # noqa: E402 - the tests are beside this folder
from tests.conformance.provider_packages_page import packages_page, provider_tests_page  # noqa: E402 - the same

PUBLIC_PACKAGES = {
    "gnomon": "To write DAG files.",
    "gnomon.operators": "The built-in operators and sensors.",
    "gnomon.timetables": "The built-in timetables, and the base class of your own.",
    "gnomon.calendars": "Business calendars in code.",
    "gnomon.partitions": "Mappers and windows for schedules by partitions of assets.",
    "gnomon.dependencies": "To find the upstream runs of a run, without a database.",
    "gnomon.testing": "To test timetables, and code that needs a clock or an executor.",
    "gnomon.testing.simulation": "To test the schedule of a folder of DAG files.",
    "gnomon.airflow_compat": "To use Airflow's module paths in a program of your own; DAG files need no call.",
}
"""The packages whose `__all__` users may import, in the order of the page."""
API_ROLES = ("no login", "viewer", "user", "operator", "admin")
"""The roles that operations need, the lowest first."""
SHARED_OPTIONS = {
    "-o": re.compile(
        r"^ +-o, --output \[table\|json\|yaml\|plain\]\n +Output format\. +\[default: table\]\n", re.MULTILINE
    ),
    "--utc": re.compile(r"^ +--utc +Times in UTC, also on a terminal\.\n", re.MULTILINE),
}
"""Options that many commands take, and their lines in the help; the page of commands explains them once."""
_HELP_OPTION = re.compile(r"^ +-h, --help +Show this message and exit\.$", re.MULTILINE)
_NO_OPTIONS = re.compile(r"^Options:\s*\Z", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(])")


def options_page() -> str:
    """Text of reference/options.md, from the table of options."""
    parts = [
        "# Options\n\n"
        "Set an option as `GNOMON__SECTION__NAME` in the environment, or in its section of `gnomon.toml`; see\n"
        "[how to set options](../how-to/set-options.md). `{home}` is the folder of the home. Names in brackets are older names, still accepted.\n"
    ]
    used = sorted((option for option in OPTIONS if option.is_used), key=lambda option: option.section)
    for section, options in itertools.groupby(used, key=lambda option: option.section):
        parts.append(f"\n## [{section}]\n\n| option | default | meaning |\n|---|---|---|\n")
        parts += [_option_row(option) for option in options]
    parts += [
        f"\n## [{section}]\n\n| option | default | meaning |\n|---|---|---|\n| any | | {meaning} |\n"
        for section, meaning in OPEN_SECTIONS.items()
    ]
    parts.append(
        "\n## Accepted, without effect\n\nFiles and environments made for Airflow may set these options. DAG files that read "
        "them get Airflow's defaults.\n\n"
    )
    others = sorted((option for option in OPTIONS if not option.is_used), key=lambda option: option.section)
    parts.append(
        "`gnomon config list` shows the reasons, `gnomon config lint` lists the options that are set and do not act, and each service that\nstarts names them.\n\n| options | reason |\n|---|---|\n"
    )
    by_reason: dict[str, list[str]] = {}
    for option in others:
        by_reason.setdefault(option.description, []).append(f"`[{option.section}] {option.name}`")
    parts += [f"| {', '.join(names)} | {reason} |\n" for reason, names in by_reason.items()]
    return "".join(parts)


def _option_row(option: ConfigOption) -> str:
    old = ", ".join(f"[{alias.section}] {alias.name}" for alias in option.aliases)
    name = f"`{option.name}`" + (f" ({old})" if old else "")
    default = f"`{option.default}`" if option.default else "(empty)"
    if option.airflow_2_default is not None:
        default += f"; `{option.airflow_2_default}` with `[core] airflow_dialect = 2`"
    meaning = option.description + (f" One of {', '.join(option.choices)}." if len(option.choices) > 1 else "")
    return f"| {name} | {default} | {meaning} |\n"


def commands_page() -> str:
    """Text of reference/cli.md, from the help of the commands."""
    intro = (
        "# Commands\n\nExit codes: 0, the command succeeded; 1, it failed, and the message on standard error says why; 2, wrong usage; 130, Ctrl-C.\n"
        "Every command takes `-h` (`--help`). Below a command stands which of these it takes too:\n\n"
        "- `-o`, `--output`: `table`, `json`, `yaml` or `plain`; with `json` and `yaml` standard output carries the document and nothing else.\n"
        "- `--utc`: times in UTC, also on a terminal.\n"
        "- `--api URL` before the command, or the variable `GNOMON_API`: it works on the deployment behind that API, with the same output\n"
        "  ([how to](../how-to/use-the-command-line-elsewhere.md)). The others work on a home of their machine, or are about the program itself.\n"
    )
    return intro + "".join(_command(root, click.Context(root, info_name="gnomon", help_option_names=["-h", "--help"])))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    if context.parent is not None and not isinstance(command, click.Group):
        text = _help(command, context)
        shared = [name for name, lines in SHARED_OPTIONS.items() if lines.search(text)]
        if getattr(command.callback, WORKS_OVER_API, False):
            shared.append("--api")
        for lines in (*SHARED_OPTIONS.values(), _HELP_OPTION, _NO_OPTIONS):
            text = lines.sub("", text)
        text = text.removeprefix("Usage: ").replace(_OPTIONS_HEAD, "").rstrip()
        if "\n  -" not in text:
            text = text.replace(" [OPTIONS]", "", 1)
        takes = f"\n{', '.join(f'`{name}`' for name in shared)}\n" if shared else ""
        yield f"\n## {context.command_path}\n\n```text\n{text}\n```\n{takes}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _command(child, click.Context(child, info_name=name, parent=context))


_OPTIONS_HEAD = "Options:\n"
"""What begins with a dash is an option."""


def _help(command: click.Command, context: click.Context) -> str:
    formatter = click.HelpFormatter(width=100)
    command.format_help(context, formatter)
    return formatter.getvalue().rstrip()


def api_permissions_page() -> str:
    """Text of reference/api-permissions.md, from the permission that each route declares."""
    from gnomon.api.access.permissions import find_permission, list_operations
    from gnomon.api.access.required_roles import OF_DAGS, PUBLIC, find_required_role
    from gnomon.api.own.own_routers import OWN_ROUTERS
    from gnomon.api.v2.routers import ROUTERS

    groups: dict[tuple[str, bool], dict[str, set[str]]] = {
        (role, of_dags): {} for role in API_ROLES for of_dags in (True, False)
    }
    for prefix, routers in {"/api/v2": ROUTERS, "/api/gnomon/v1": OWN_ROUTERS}.items():
        for route in list_operations(routers):
            declared = find_permission(route)
            assert declared is not None
            is_public = declared.resource in PUBLIC
            role = API_ROLES[0] if is_public else str(find_required_role(declared.permission, declared.resource))
            paths = groups[role, declared.resource in OF_DAGS]
            paths.setdefault(prefix + route.path, set()).update(route.methods or ())
    parts = [
        "# Which role an operation needs\n\n"
        "The lowest role that may call each operation of the API; a role includes the ones before it\n"
        "([accounts and tokens](../how-to/accounts-and-tokens.md)). For operations on DAGs a grant on the DAG is enough: they answer 404 for every other\n"
        "DAG, and a list has the entries of DAGs with a grant. Without a token each operation answers 401, but for those that need none.\n"
    ]
    for (role, of_dags), paths in groups.items():
        if paths:
            parts.append(f"\n## {role}{', on DAGs' if of_dags else ''}\n\n")
            parts += [f"- `{', '.join(sorted(methods))} {path}`\n" for path, methods in sorted(paths.items())]
    return "".join(parts)


def python_api_page() -> str:
    """Text of reference/python-api.md, from `__all__` of the public packages and the docstrings of their names."""
    parts = [
        "# Public Python names\n\n"
        "Import from these packages only the names that are listed here. A name on this page is removed or changed only with an entry in the\n"
        "[list of changes](../../CHANGELOG.md). All other modules and names of `gnomon` are private: they may move, change or disappear in\n"
        "any release. [Airflow's module paths](airflow-coverage.md) (`airflow...`) are public too.\n"
    ]
    for package, purpose in PUBLIC_PACKAGES.items():
        module = importlib.import_module(package)
        parts.append(f"\n## {package}\n\n{purpose}\n\n| name | description |\n|---|---|\n")
        parts += [f"| `{name}` | {first_sentence(getattr(module, name))} |\n" for name in sorted(module.__all__)]
    return "".join(parts)


def first_sentence(documented: object) -> str:
    """The first sentence of the docstring of `documented`, as the cell of a table."""
    paragraph = (inspect.getdoc(documented) or "").partition("\n\n")[0]
    return _SENTENCE_END.split(" ".join(paragraph.split()))[0].replace("|", "\\|")


def lines_of(dag_id: str) -> str:
    """A picture of how-to/preview-dependencies.md: `gnomon dependencies preview` of the DAG file on that page."""
    page = (DOCS / "how-to/preview-dependencies.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "reports.py"
        file.write_text(code)
        words = ["dependencies", "preview", str(file), "--dag-id", dag_id, "--day", "2026-03-03", "-o", "svg"]
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "GNOMON_HOME": home},
        )
    return done.stdout


TUTORIAL_PICTURES = {
    "first-dag": ("example", "runs", "log"),
    "failing-task": ("retry", "states", "log", "dry-run", "end"),
    "waits-between-dags": ("queued", "explain", "success", "preview"),
    "promised-report": ("forecast", "safe", "slow", "breach", "start"),
}
"""The pages of the tutorial that are run, and the ends of the names of their pictures."""


def tutorial_picture(page: str, name: str) -> str:
    """A picture of a terminal from a run of all commands of the page."""
    return tutorial_session.pictures_of(page)[f"pictures/{name}.svg"]


def timetable_picture() -> str:
    """The picture of tutorial/custom-timetable.md: the first `gnomon timetables preview` of the page, with its first class."""
    text = (DOCS / "tutorial/custom-timetable.md").read_text()
    code = re.findall(r"^```python\n(# plugins/.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    command = re.findall(r"^gnomon timetables preview .*$", text, re.MULTILINE)[0]
    title = re.findall(r"^!\[(.*)\]\(pictures/custom-timetable-preview\.svg\)$", text, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / page_files.name_of(code)
        file.parent.mkdir()
        file.write_text(code)
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", *shlex.split(command)[1:]],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "GNOMON_HOME": home, "TZ": "UTC"},
        )
    return terminal_picture.picture(title, terminal_picture.command_lines(command, done.stdout))


DATABASE_INTRO = """# Tables

Where Gnomon keeps what it knows, on SQLite and PostgreSQL alike. Tables and columns may change with every release; programs ask the
[API](../how-to/use-the-api.md) or the commands (`-o json`) instead. The types are SQLite's. Instants are microseconds since 1970 in UTC. The numbered SQL scripts in
`src/gnomon/storage/store/migrations/scripts` are the schema; [decision 10](../decisions/0010-schema-and-migrations.md) says why.
"""


STATEMENTS_INTRO = """
## Statements

For people who change Gnomon: the statements in `src/gnomon/storage/store/sql` are written once for both databases. These markers in their text become what each database needs;
`src/gnomon/storage/store/statements.py` explains them. A statement that differs in more than this stands twice, with a line `-- differs: reason`.

"""


def database_page() -> str:
    """contributing/database.md: the tables of a new SQLite database, and what `tables.toml` says about them."""
    described = tomllib.loads(
        resources.files("gnomon.storage.store.migrations").joinpath("tables.toml").read_text(encoding="utf-8")
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gnomon.db"
        migrations.upgrade_schema(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection:
            tables = [
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
                )
            ]
            parts = [_table(connection, name, described.pop(name, {})) for name in tables]
    if described:
        raise SystemExit(f"tables.toml describes tables that do not exist: {', '.join(described)}")
    return DATABASE_INTRO + "".join(parts) + STATEMENTS_INTRO + _marker_table()


def _marker_table() -> str:
    """The markers of statements, as the docstring of `store/statements.py` lists them."""
    return "".join(f"{line}\n" for line in (statements.__doc__ or "").splitlines() if line.startswith("|"))


def _table(connection: sqlite3.Connection, name: str, described: dict[str, str]) -> str:
    """A section of contributing/database.md."""
    columns = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
    wrong = {column[1] for column in columns} ^ (described.keys() - {"about"})
    if wrong or "about" not in described:
        raise SystemExit(
            f"tables.toml must describe table {name} and exactly its columns; wrong: {', '.join(sorted(wrong)) or 'about'}"
        )
    rows = "".join(
        f"| `{column}` | {kind} | {'' if required else 'yes'} | {described[column]} |\n"
        for _, column, kind, required, _, _ in columns
    )
    key = ", ".join(f"`{column[1]}`" for column in sorted(columns, key=lambda column: column[5]) if column[5])
    lines = [f"- Primary key: {key}"]
    lines += [
        f"- `{source}` refers to `{table}`"
        for _, _, table, source, *_ in connection.execute(f'PRAGMA foreign_key_list("{name}")')
    ]
    for _, index, unique, origin, _ in sorted(
        connection.execute(f'PRAGMA index_list("{name}")'), key=lambda row: row[1]
    ):
        if origin == "u":
            lines.append(
                "- Unique: " + ", ".join(f"`{row[2]}`" for row in connection.execute(f'PRAGMA index_info("{index}")'))
            )
        elif origin == "c":
            (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
            lines.append(f"- {'Unique index' if unique else 'Index'} `{index}`: `{re.sub(r'^.* ON [^(]*', '', sql)}`")
    return (
        f"\n## {name}\n\n{described['about']}\n\n| column | type | NULL | meaning |\n|---|---|---|---|\n{rows}\n"
        + "\n".join(lines)
        + "\n"
    )


def _path_in_source(installed: Path) -> str:
    """The file of the sources of which `installed` is a copy, relative to this folder."""
    package = Path(str(resources.files("gnomon")))
    return os.path.relpath(DOCS.parent / "src" / "gnomon" / installed.relative_to(package), DOCS)


PAGES: dict[str, Callable[[], str]] = {
    "reference/options.md": options_page,
    "reference/python-api.md": python_api_page,
    "reference/api-permissions.md": api_permissions_page,
    "reference/cli.md": commands_page,
    "how-to/pictures/hourly-on-discrete-hours.svg": functools.partial(lines_of, "hourly_report"),
    "how-to/pictures/daily-on-hourly.svg": functools.partial(lines_of, "evening_report"),
    "tutorial/pictures/custom-timetable-preview.svg": timetable_picture,
    **{
        f"tutorial/pictures/{page}-{name}.svg": functools.partial(tutorial_picture, page, f"{page}-{name}")
        for page, names in TUTORIAL_PICTURES.items()
        for name in names
    },
    "contributing/database.md": database_page,
    "reference/airflow-coverage.md": render_markdown,
    "contributing/airflow-examples.md": examples_page,
    "reference/provider-packages.md": packages_page,
    "contributing/provider-tests.md": provider_tests_page,
    **{_path_in_source(path): functools.partial(str, text) for path, text in render_stubs().items()},
}


def main(names: list[str]) -> None:
    """Write the generated pages and pictures whose path contains one of `names`; all without names."""
    for name, page in PAGES.items():
        if not names or any(part in name for part in names):
            (DOCS / name).parent.mkdir(exist_ok=True)
            (DOCS / name).write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
