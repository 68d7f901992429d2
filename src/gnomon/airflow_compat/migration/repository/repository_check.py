"""Reads all files of a folder and judges each: it runs, it differs, something is missing, or it cannot be read."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.airflow_compat.migration.repository import airflow_cfg, template_names
from gnomon.airflow_compat.migration.repository.dag_calls import ABSENT, DagCall, is_known, read_dag_calls
from gnomon.airflow_compat.migration.repository.file_imports import (
    FileImports,
    find_airflow_version,
    iterate_attribute_findings,
    iterate_refused_uses,
    read_imports,
)
from gnomon.airflow_compat.migration.repository.findings import FileReport, Finding, RunDates, Severity
from gnomon.airflow_compat.migration.repository.literal_values import UNKNOWN, LiteralReader, read_assignments
from gnomon.airflow_compat.migration.repository.member_uses import iterate_member_findings
from gnomon.airflow_compat.migration.repository.run_dates import find_next_runs
from gnomon.airflow_compat.migration.repository.sibling_imports import find_broken_imports, list_sibling_imports
from gnomon.airflow_compat.migration.repository.source_files import ParsedSource, list_files, read_source
from gnomon.author_code.loading.provider_names import shorten
from gnomon.authoring.sdk.arguments.airflow_dialects import DEFAULT_SCHEDULE_OF_AIRFLOW_2
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import Instant, iso, to_instant

_OWN_PAGE = "because the web page is Gnomon's own"
_IDLE_PLUGIN_FIELDS = {
    **dict.fromkeys(
        (
            "flask_blueprints",
            "appbuilder_views",
            "appbuilder_menu_items",
            "admin_views",
            "menu_links",
            "fastapi_apps",
            "fastapi_root_middlewares",
            "external_views",
            "react_apps",
        ),
        _OWN_PAGE,
    ),
    "macros": "because templates have no macros of plugins; give the functions to the DAG with user_defined_macros=",
}
"""Fields of a plugin that nothing reads, and why."""


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """From what to what the repository moves."""

    now: Instant
    dialect: int = 3
    """`[core] airflow_dialect` of this installation."""
    airflow_version: int | None = None
    """The version of Airflow, 2 or 3, on which the repository ran; None: the files tell."""


@dataclass(slots=True)
class RepositoryReport:
    """The result for a folder."""

    folder: str
    airflow_version: str
    """`2`, `3`, or `2 or 3` when the files do not tell."""
    files: list[FileReport] = field(default_factory=list)

    @property
    def providers(self) -> list[str]:
        """All provider packages that the files import."""
        return sorted({name for file in self.files for name in file.providers})

    @property
    def install_command(self) -> str | None:
        """The command that installs the provider packages; None when there are none."""
        return (
            f"gnomon providers install {' '.join(shorten(name) for name in self.providers)}" if self.providers else None
        )

    def count(self) -> dict[str, int]:
        """The number of files by verdict."""
        verdicts = [file.verdict for file in self.files]
        return {name: verdicts.count(name) for name in ("runs", "differs", "missing", "unreadable", "no airflow")}


@dataclass(slots=True)
class _ReadFile:
    """A parsed file, before it is judged."""

    source: ParsedSource
    imports: FileImports
    calls: list[DagCall]
    findings: list[Finding]

    @property
    def airflow_version(self) -> int | None:
        return 2 if any(call.old_arguments for call in self.calls) else find_airflow_version(self.imports.modules)


def check_repository(folder: Path, settings: CheckSettings) -> RepositoryReport:
    """Return the verdict on each file. Nothing of the folder is run, and no file makes this function raise an error."""
    read: list[_ReadFile] = []
    reports: list[FileReport] = []
    for path in list_files(folder):
        name = path.relative_to(folder).as_posix()
        if (
            path.suffix in (".py", ".pyi")
            or path.name == airflow_cfg.FILE_NAME
            or path.suffix in template_names.TEMPLATE_SUFFIXES
        ):
            if path.suffix == ".py":
                source = read_source(path, name)
                if source.tree is None:
                    reports.append(FileReport(name, findings=[source.problem] if source.problem else []))
                else:
                    read.append(_read(source, source.tree, settings.dialect))
            else:
                reports += _check_other_file(path, name)
    _add_sibling_findings(read, reports)
    versions = {file.airflow_version for file in read} - {None}
    common = settings.airflow_version or (versions.pop() if len(versions) == 1 else None)
    reports += [_judge(file, settings, settings.airflow_version or file.airflow_version or common) for file in read]
    shown = "2 or 3" if common is None else str(common)
    return RepositoryReport(str(folder), shown, sorted(reports, key=lambda report: report.path))


def _add_sibling_findings(read: list[_ReadFile], reports: list[FileReport]) -> None:
    """Add to each file what keeps the files that it imports from being imported. `reports`: of files that cannot be read."""
    broken = {report.path: report.findings[0] for report in reports if report.verdict == Severity.UNREADABLE.value}
    broken |= {file.source.path: file.imports.fatal for file in read if file.imports.fatal is not None}
    files = frozenset([*(file.source.path for file in read), *broken])
    imports = {
        file.source.path: list_sibling_imports(file.source.path, file.source.tree, files)
        for file in read
        if file.source.tree is not None
    }
    findings = find_broken_imports(imports, broken)
    for file in read:
        if file.source.path in findings:
            file.findings.append(findings[file.source.path])


def _check_other_file(path: Path, name: str) -> Iterator[FileReport]:
    if path.name == airflow_cfg.FILE_NAME:
        yield FileReport(name, findings=list(airflow_cfg.iterate_option_findings(path)), uses_airflow=True)
    elif path.suffix in template_names.TEMPLATE_SUFFIXES:
        try:
            text = path.read_bytes()[:1_000_000].decode("utf-8", errors="replace")
        except OSError:
            return
        findings = list(template_names.iterate_names_of_text(text))
        if findings:
            yield FileReport(name, findings=findings, uses_airflow=True)


def _read(source: ParsedSource, tree: ast.Module, dialect: int) -> _ReadFile:
    try:
        imports = read_imports(tree, dialect)
        reader = LiteralReader(imports.names, read_assignments(tree))
        calls, findings = read_dag_calls(tree, reader)
        findings += [
            *imports.findings,
            *iterate_refused_uses(tree, imports),
            *iterate_attribute_findings(tree, imports),
        ]
        if imports.modules:
            findings += [
                *template_names.iterate_removed_names(tree),
                *_find_plugin_fields(tree, reader),
                *iterate_member_findings(tree, imports.names),
            ]
        return _ReadFile(source, imports, calls, list(dict.fromkeys(findings)))
    except RecursionError:
        return _ReadFile(
            source,
            FileImports(),
            [],
            [
                Finding(
                    1,
                    Severity.UNREADABLE,
                    "too-deep",
                    "an expression of the file is nested too deeply to be checked; assign its parts to variables",
                )
            ],
        )


def _find_plugin_fields(tree: ast.Module, reader: LiteralReader) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(
            (reader.find_path(base) or "").endswith("AirflowPlugin") for base in node.bases
        ):
            for line in node.body:
                targets = (
                    line.targets
                    if isinstance(line, ast.Assign)
                    else [line.target]
                    if isinstance(line, ast.AnnAssign)
                    else []
                )
                for target in targets:
                    if isinstance(target, ast.Name) and target.id in _IDLE_PLUGIN_FIELDS:
                        yield Finding(
                            line.lineno,
                            Severity.NOTE,
                            "plugin",
                            f"plugin {node.name}: {target.id} has no effect, {_IDLE_PLUGIN_FIELDS[target.id]}",
                        )


def _judge(file: _ReadFile, settings: CheckSettings, version: int | None) -> FileReport:
    report = FileReport(
        file.source.path,
        [call.dag_id for call in file.calls],
        list(file.findings),
        sorted(file.imports.providers),
        uses_airflow=bool(file.imports.modules),
    )
    for call in file.calls:
        _judge_dag(report, call, settings, version)
    report.findings.sort(key=lambda finding: (finding.line, finding.rule, finding.message))
    return report


def _judge_dag(report: FileReport, call: DagCall, settings: CheckSettings, version: int | None) -> None:
    """Add what the DAG means in another version of Airflow than the one that it ran on."""
    here = 2 if call.old_arguments else settings.dialect
    before = 2 if call.old_arguments else version
    if call.old_arguments:
        names = ", ".join(f"{name}=" for name in call.old_arguments)
        report.findings.append(
            Finding(
                call.line,
                Severity.NOTE,
                "airflow-2",
                f"DAG {call.dag_id!r} follows Airflow 2 by itself, because of {names}",
            )
        )
    if before == here or (call.has_unknown_arguments and call.schedule is ABSENT):
        return
    condition = f"in Airflow {before}" if before is not None else f"if it ran on Airflow {5 - here}"
    old = before if before is not None else 5 - here
    schedule, was = (
        (DEFAULT_SCHEDULE_OF_AIRFLOW_2 if dialect == 2 else None for dialect in (here, old))
        if call.schedule is ABSENT
        else (call.schedule,) * 2
    )
    for finding in _compare(report, call, settings.now, (schedule, here), (was, old)):
        report.findings.append(
            Finding(
                finding.line, finding.severity, finding.rule, f"DAG {call.dag_id!r}: {condition}, {finding.message}"
            )
        )


def _compare(
    report: FileReport, call: DagCall, now: Instant, new: tuple[Any, int], old: tuple[Any, int]
) -> Iterator[Finding]:
    """Yield what differs between two meanings, each a schedule and a dialect."""
    remedy = "set [core] airflow_dialect = 2" if old[1] == 2 else "leave [core] airflow_dialect at 3"
    if call.schedule is ABSENT:
        words = ("it ran every day, and here it has no schedule", "it had no schedule, and here it runs every day")
        yield Finding(
            call.line, Severity.DIFFERS, "default-schedule", f"{words[old[1] == 3]}; {remedy}, or give it schedule="
        )
    elif call.schedule is UNKNOWN:
        yield Finding(
            call.line,
            Severity.NOTE,
            "computed-schedule",
            "the schedule may mean something else; it is computed, so that its runs are not known here",
        )
        return
    if is_known(call.schedule) and not _is_time_schedule(call.schedule):
        return
    try:
        new_runs, old_runs = (
            find_next_runs(schedule, call.start_date, dialect, now) if schedule is not None else []
            for schedule, dialect in (new, old)
        )
    except (ValueError, TypeError, ArithmeticError, AirflowException, GnomonError) as error:
        yield Finding(call.line, Severity.MISSING, "schedule", f"the schedule is not valid here: {error}")
        return
    rows = [
        {
            "run_after": iso(to_instant(run.run_after)),
            "ds_before": run.ds,
            "ds_here": next((new.ds for new in new_runs if new.run_after == run.run_after), None),
        }
        for run in old_runs
    ]
    if is_known(call.schedule) and any(row["ds_before"] != row["ds_here"] for row in rows):
        kinds = (
            "ds is the start of the data interval, and here the time of the run",
            "ds is the time of the run, and here the start of the data interval",
        )
        shown = ", ".join(f"{row['ds_before']} → {row['ds_here'] or 'no such run'}" for row in rows)
        yield Finding(
            call.line,
            Severity.DIFFERS,
            "data-interval",
            f"{kinds[old[1] == 3]}: {shown}; {remedy}, or write the timetable",
        )
        report.run_dates.append(RunDates(call.line, call.dag_id, rows))
    if not call.gives_catchup and not call.has_unknown_arguments and (new_runs or old_runs):
        yield Finding(
            call.line,
            Severity.DIFFERS,
            "catchup",
            f"catchup is {old[1] == 2} by default, and here {new[1] == 2}; {remedy}, or give it catchup={old[1] == 2}",
        )


def _is_time_schedule(schedule: Any) -> bool:
    return (
        schedule is ABSENT
        or isinstance(schedule, dt.timedelta)
        or (isinstance(schedule, str) and schedule not in ("@once", "@continuous"))
    )


def list_verdicts(files: Sequence[FileReport]) -> dict[str, str]:
    """Return the verdict on each file by its path."""
    return {file.path: file.verdict for file in files}
