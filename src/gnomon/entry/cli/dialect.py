"""`gnomon dialect`: Airflow's names in every process of this Python environment."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.author_code.loading.dialect_environment import (
    DialectStatus,
    describe_environment,
    read_status,
    remove_pth_files,
    write_pth_file,
)
from gnomon.entry.cli.output import output_option, print_document


@click.group()
def dialect() -> None:
    """Airflow's names (`import airflow`) in every process of this Python environment: programs, notebooks and editors.

    DAG files that Gnomon runs need no command: its processes find Airflow's names themselves. So does pytest.
    """


@dialect.command()
@click.option("--user", is_flag=True, help="Write the file into your own packages instead of those of the environment.")
def enable(user: bool) -> None:
    """Make `import airflow` import Gnomon's package: writes one .pth file into this environment.

    It is refused in an environment with an installed Airflow.
    """
    path = write_pth_file(user=user)
    click.echo(f"enabled in {describe_environment()}: `import airflow` imports Gnomon's package ({path})")
    status = read_status()
    if not status.enabled:
        click.echo(f"but another package is found first: {status.airflow}; remove it", err=True)
        raise click.exceptions.Exit(1)


@dialect.command()
def disable() -> None:
    """Undo `gnomon dialect enable`: removes the .pth file."""
    removed = remove_pth_files()
    for path in removed:
        click.echo(f"removed {path}")
    if not removed:
        click.echo(f"nothing to remove: the dialect was not enabled in {describe_environment()}")


@dialect.command()
@output_option
def status(output: str) -> int:
    """Show what `import airflow` imports in this environment, and which provider packages are installed.

    Exit code 0 if it is Gnomon's package, else 1.
    """
    dialect_status = read_status()
    if output == "table":
        click.echo(_format_status(dialect_status))
    else:
        print_document(asdict(dialect_status), output)
    return 0 if dialect_status.enabled else 1


def _format_status(status: DialectStatus) -> str:
    enabled = "no; enable it with: gnomon dialect enable"
    if status.enabled:
        enabled = f"yes, by {status.file or 'PYTHONPATH or another .pth file'}"
    elif status.installed_airflow is not None:
        enabled = f"no: {status.installed_airflow} is installed"
    rows = {
        "environment": status.environment,
        "python": status.python,
        "enabled": enabled,
        "import airflow": status.airflow or "nothing is found",
        "providers": ", ".join(status.providers) or "none are installed; Gnomon brings the standard provider",
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())
