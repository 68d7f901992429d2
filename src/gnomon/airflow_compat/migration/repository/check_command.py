"""`gnomon migrate check`: the verdict on each file of a repository, as table, JSON or SARIF."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from gnomon.airflow_compat.migration.repository.findings import FileReport, Severity
from gnomon.airflow_compat.migration.repository.repository_check import (
    CheckSettings,
    RepositoryReport,
    check_repository,
)
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import draw_table, format_option, print_document
from gnomon.entry.cli.parameter_types import MomentType, resolve_instant
from gnomon.entry.cli.terminal.screen import read_screen

_FAILING = {"missing": ("missing", "unreadable"), "differs": ("missing", "unreadable", "differs"), "never": ()}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "version",
    type=click.Choice(("2", "3")),
    help="The Airflow on which the repository ran; default: what its files show.",
)
@click.option("--at", type=MomentType(), help="Show the runs after this time; default: now.")
@click.option(
    "-n", "--notes", is_flag=True, help="Show notes too: what has no effect, what Airflow removed and Gnomon still has."
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(_FAILING)),
    default="differs",
    show_default=True,
    help="The verdict from which the exit code is 1.",
)
@format_option("sarif")
@pass_home
@click.pass_context
def check(
    ctx: click.Context,
    home: Home,
    folder: Path,
    version: str | None,
    at: datetime | None,
    notes: bool,
    fail_on: str,
    output: str,
) -> None:
    """Read the files of FOLDER without running them, and say what runs on Gnomon, what differs and what is missing.

    Verdicts: runs; differs (it runs, with another meaning than before: another data interval, catchup or schedule); missing
    (Gnomon has no such name, or the name raises on use); unreadable (syntax errors, Python 2); no airflow.

    Exit code 0: every file runs. 1: some do not, see --fail-on. 2: wrong usage.
    """
    if not folder.exists():
        raise click.BadParameter(f"there is no folder {folder}", param_hint="FOLDER")
    now = home.clock.now() if at is None else resolve_instant(at, home.cfg)
    settings = CheckSettings(
        now, home.cfg.integer("core", "airflow_dialect"), None if version is None else int(version)
    )
    root = folder if folder.is_dir() else folder.parent
    report = check_repository(root, settings)
    if not folder.is_dir():
        report.files = [file for file in report.files if file.path == folder.name]
    if output == "sarif":
        from gnomon.airflow_compat.migration.repository.sarif import build_sarif  # start-up cost: only with -o sarif

        print_document(build_sarif(report), "json")
    elif output != "table":
        print_document(_to_document(report), output)
    else:
        _print_table(report, notes)
    if any(file.verdict in _FAILING[fail_on] for file in report.files):
        ctx.exit(1)


def _to_document(report: RepositoryReport) -> dict[str, object]:
    files = []
    for file in report.files:
        entry = {"verdict": file.verdict, **asdict(file)}
        entry["findings"] = [{**asdict(finding), "severity": finding.severity.value} for finding in file.findings]
        files.append(entry)
    return {
        "folder": report.folder,
        "airflow_version": report.airflow_version,
        "counts": report.count(),
        "providers": report.providers,
        "install_command": report.install_command,
        "files": files,
    }


def _print_table(report: RepositoryReport, notes: bool) -> None:
    shown = [file for file in report.files if file.verdict != "no airflow"]
    rows = [
        {"file": file.path, "verdict": file.verdict, "dags": ", ".join(file.dags), "notes": _count_notes(file)}
        for file in shown
    ]
    screen = read_screen()
    click.echo(draw_table(rows, ("file", "verdict", "dags", "notes"), screen) if rows else "no file uses Airflow")
    for file in shown:
        lines = [finding for finding in file.findings if notes or finding.severity is not Severity.NOTE]
        if lines:
            click.echo(f"\n{screen.paint(file.path, 'bold')}")
            for finding in lines:
                click.echo(screen.wrap(f"  line {finding.line}: {finding.severity.value}: {finding.message}", "    "))
    counts = ", ".join(f"{number} {name}" for name, number in report.count().items() if number)
    click.echo(f"\n{len(report.files)} files: {counts}. Written for Airflow {report.airflow_version}.")
    if report.install_command is not None:
        click.echo(f"They need provider packages: {report.install_command}")


def _count_notes(file: FileReport) -> int | None:
    return sum(finding.severity is Severity.NOTE for finding in file.findings) or None
