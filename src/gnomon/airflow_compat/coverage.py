"""The coverage table: the status of every name of Airflow, for docs/reference/airflow-coverage.md and `missing_names.py`.

What the modules of the tree list in `__all__` works, unless `coverage_gaps.py` has the name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

from gnomon.airflow_compat import coverage_gaps, internal_reasons, old_names, tree_exports
from gnomon.airflow_compat.coverage_row import CoverageRow, CoverageStatus
from gnomon.author_code.loading.provider_names import find_package

_OBJECT_STORAGE_MODULES = ("airflow.io", "airflow.sdk.io")
OBJECT_STORAGE = "needs the extra: `pip install 'gnomon[object-storage]'`"
PLUGINS = "timetables, listeners and links of operators act; `gnomon plugins list` shows what else a plugin brings, without effect"
_GAPS = {(row.module, name): row for row in coverage_gaps.ROWS for name in row.names}


def find_row(module: str, name: str) -> CoverageRow | None:
    """The row of that name of that module; None when the table has none, and the name is not an internal one of Airflow."""
    if (module, name) in _GAPS:
        return _GAPS[module, name]
    if name in tree_exports.read_exports(module):
        return CoverageRow(module, (name,), CoverageStatus.PROVIDED, _find_remark(module, name))
    if old_names.is_internal(module, name):
        status = CoverageStatus.LATER if name == "*" else CoverageStatus.REFUSES
        return CoverageRow(module, (name,), status, internal_reasons.find_reason(module))
    return None


def find_module_row(module: str) -> CoverageRow | None:
    """The row of a whole module, or of a package that contains it, that is missing; None when the table has none."""
    while module:
        row = find_row(module, "*")
        if row is not None:
            return row
        module = module.rpartition(".")[0]
    return None


@cache
def list_rows() -> tuple[CoverageRow, ...]:
    """The whole table: for each module one row of the names that share a status and a reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for module, name in list_provided():
        names.setdefault((module, _find_remark(module, name)), []).append(name)
    provided = [
        CoverageRow(module, tuple(exports), CoverageStatus.PROVIDED, why) for (module, why), exports in names.items()
    ]
    return (*provided, *coverage_gaps.ROWS)


def list_provided() -> list[tuple[str, str]]:
    """(module, name) of every name that works."""
    return [
        (module, name)
        for module in tree_exports.list_modules()
        for name in tree_exports.read_exports(module)
        if (module, name) not in _GAPS
    ]


def render_markdown() -> str:
    """The text of docs/reference/airflow-coverage.md: what is not provided, by reason; of what is, the modules."""
    missing: dict[tuple[CoverageStatus, str], list[CoverageRow]] = {}
    for row in sorted(list_rows(), key=lambda row: (list(CoverageStatus).index(row.status), row.why, row.module)):
        if row.status is not CoverageStatus.PROVIDED:
            missing.setdefault((row.status, row.why), []).append(row)
    lines = [
        "# Airflow coverage",
        "",
        "Which names of Airflow 2 and 3 DAG files, plugins and tasks can import, and what they do here. `gnomon migrate check` judges the imports of your own",
        "files. `python -m gnomon.airflow_compat.coverage` prints every name with its status.",
        "",
        "| status | meaning |",
        "|---|---|",
        "| provided | works as in Airflow; the arguments of Airflow 2 and 3 are accepted |",
        "| word only | can be imported and written down; nothing acts on it |",
        "| raises on use | can be imported, named in annotations and subclassed; a call raises, with the reason |",
        "| not yet | cannot be imported; the error gives the reason |",
        "",
        "## Not provided",
        "",
        "| status | why, or what instead | names |",
        "|---|---|---|",
        *(f"| {status.value} | {why} | {_join(rows)} |" for (status, why), rows in missing.items()),
        "",
        "## Provided",
        "",
        f"{len(list_provided())} names of these modules:",
        "",
        *(f"- {line}" for line in _list_provided_modules()),
        "",
        "Also what these modules of Airflow only import themselves, such as `Context` from `airflow.models.taskinstance`, and their constants. Names that belong",
        "to Airflow's own services and tables can be imported, and raise on use.",
        "",
        *_describe_old_paths(),
    ]
    return "\n".join(lines) + "\n"


def render_table() -> str:
    """Every name of Airflow with its status and the reason, one line for each row of the table."""
    rows = sorted(list_rows(), key=lambda row: (row.module, list(CoverageStatus).index(row.status), row.names))
    return "".join(
        f"{row.module}: {', '.join(row.names)}: {row.status.value}{row.why and f' ({row.why})'}\n" for row in rows
    )


def _find_remark(module: str, name: str) -> str:
    if name == "ObjectStoragePath" or module.startswith(_OBJECT_STORAGE_MODULES):
        return OBJECT_STORAGE
    return PLUGINS if name == "AirflowPlugin" else ""


def _join(rows: list[CoverageRow]) -> str:
    return ", ".join(
        f"`{row.module}`" + ("" if row.names == ("*",) else f": {', '.join(f'`{name}`' for name in row.names)}")
        for row in rows
    )


def _list_provided_modules() -> Iterator[str]:
    """One line for each package of Airflow: its modules with provided names, without the common beginning."""
    by_package: dict[str, list[str]] = {}
    for module in sorted({module for module, _ in list_provided()}):
        package = ".".join(module.split(".")[: 3 if module.startswith("airflow.providers.") else 2])
        by_package.setdefault(package, []).append(module.removeprefix(package).removeprefix("."))
    for package, modules in by_package.items():
        below = ", ".join(f"`{module}`" for module in modules if module)
        yield f"`{package}`" + (f": {below}" if below else "")


def _describe_old_paths() -> tuple[str, ...]:
    packages = {find_package(path) for names in old_names.read_old_paths().values() for path in names.values()}
    return (
        "## Paths of Airflow 1.10",
        "",
        "With `[core] airflow_dialect = 2`, modules such as `airflow.operators.bash_operator` and `airflow.contrib` forward to the provider package that has their",
        f"names since, as in Airflow 2.4 to 2.11, when the package is installed (`gnomon providers install NAME`; {len(packages - {None})} packages). With 3, the error of the import",
        "names the new path.",
    )


if __name__ == "__main__":
    sys.stdout.write(render_table())
