"""`gnomon providers`: installs provider packages of Airflow without Airflow, lists them, and checks what of them can be imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from gnomon.author_code.loading.provider_names import PREFIX, normalize_package, shorten
from gnomon.entry.cli.output import format_table, output_option, print_document, print_records
from gnomon.model.errors.product import ResourceUnavailable, UserError
from gnomon.model.sentences import Command, say

if TYPE_CHECKING:
    from gnomon.airflow_compat.migration.providers.install_progress import InstallProgress
    from gnomon.airflow_compat.migration.providers.package_installer import PackageInstaller
    from gnomon.airflow_compat.migration.providers.provider_plan import PlannedPackage

_NAMED = 5
"""So many packages are named in one line of progress."""
_AIRFLOW_VERSION = "3.3.2"
"""The version of Airflow that `airflow.__version__` of Gnomon states."""


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """An installed provider package."""

    package: str
    version: str
    connection_types: list[str]
    description: str
    error: str | None


@click.group()
def providers() -> None:
    """Provider packages of Airflow: install them without Airflow, list them, check what of them can be imported."""


@providers.command()
@click.argument("packages", metavar="PACKAGE...", nargs=-1, required=True)
@click.option("-n", "--dry-run", is_flag=True, help="Only say what would be installed.")
@output_option
def install(packages: tuple[str, ...], dry_run: bool, output: str) -> None:
    """Install provider packages and what they need, without Airflow itself.

    PACKAGE is a short name (http, common-sql, cncf.kubernetes), with a version or extras if needed ('amazon[s3fs]==9.0'), or the
    full name of the package. pip installs into the environment of this command, with your configuration of pip; uv does where
    the environment has no pip. A package that cannot be installed is named, and does not keep the others from being installed.
    """
    from packaging.requirements import Requirement  # start-up cost: `gnomon providers --help` loads this module

    from gnomon.airflow_compat.migration.providers.install_progress import InstallProgress
    from gnomon.airflow_compat.migration.providers.package_installer import (
        PackageFailed,
        PackageInstaller,
        find_installer,
    )
    from gnomon.airflow_compat.migration.providers.provider_plan import build_plan, is_installed

    requirements = list(dict.fromkeys(normalize_package(text) for text in packages))
    with InstallProgress() as progress:
        installer = PackageInstaller(find_installer(), progress.show)
        progress.begin(f"looking at {_name_packages([shorten(Requirement(text).name) for text in requirements])}")
        plan = build_plan(requirements, installer.unpack, _AIRFLOW_VERSION)
    missing = [package for package in plan if not is_installed(package.requirement)]
    rows = [
        {"requirement": package.requirement, "reason": package.reason, "installed": package not in missing}
        for package in plan
    ]
    if output != "table":
        print_document(rows, output)
    else:
        click.echo(format_table(rows, ("requirement", "reason", "installed")))
    if dry_run or not missing:
        _say(output, "nothing was installed (--dry-run)" if missing else "everything is installed already")
        return
    with progress:
        try:
            _install_plan(missing, installer, progress)
        except PackageFailed:
            if len(requirements) == 1:
                raise
            _install_each(requirements, installer, progress)
    _say(
        output,
        f"installed {len(missing)} package{'s' if len(missing) > 1 else ''}; files that could not be loaded without them are parsed again",
    )


def _install_plan(missing: Sequence[PlannedPackage], installer: PackageInstaller, progress: InstallProgress) -> None:
    """Install these packages, what providers need first, so that a failure leaves no provider that cannot be imported."""
    others = [package.requirement for package in missing if not package.is_provider]
    own = [package.requirement for package in missing if package.is_provider]
    if others:
        progress.begin(f"installing what the providers need: {_name_packages(others)}")
        installer.install(others, with_requirements=True)
    if own:
        progress.begin(f"installing the providers: {_name_packages(own)}")
        installer.install(own, with_requirements=False)


def _install_each(requirements: Sequence[str], installer: PackageInstaller, progress: InstallProgress) -> None:
    """Install the packages one by one, because together they could not be. Raises ResourceUnavailable with the names of those that failed."""
    from gnomon.airflow_compat.migration.providers.package_installer import (
        PackageFailed,  # start-up cost: `gnomon providers --help` loads this module
    )
    from gnomon.airflow_compat.migration.providers.provider_plan import build_plan, is_installed

    failures: dict[str, str] = {}
    for text in requirements:
        try:
            progress.begin(f"looking at {shorten(text)} alone, because one of the packages could not be installed")
            plan = build_plan([text], installer.unpack, _AIRFLOW_VERSION)
            _install_plan([package for package in plan if not is_installed(package.requirement)], installer, progress)
        except PackageFailed as error:
            failures[shorten(text)] = str(error)
    installed = [shorten(text) for text in requirements if shorten(text) not in failures]
    if failures:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
        raise ResourceUnavailable(
            say(
                "packages_were_not_installed",
                names=", ".join(failures),
                things=", ".join(installed) or "none",
                reason=reasons,
            )
        )


def _name_packages(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def _say(output: str, sentence: str) -> None:
    click.echo(sentence, err=output != "table")


@providers.command("list")
@output_option
def list_(output: str) -> None:
    """List the installed provider packages and the types of connections that they serve."""
    from gnomon.author_code.loading import dialect  # start-up cost: of this command alone
    from gnomon.authoring.sdk.connections.provider_packages import load_provider_packages

    dialect.enable()
    providers = load_provider_packages()
    rows = [
        ProviderRow(
            name,
            provider.version,
            sorted(item["connection-type"] for item in provider.data.get("connection-types") or ()),
            str(provider.data.get("description") or "").strip().replace("\n", " "),
            None,
        )
        for name, provider in providers.packages.items()
    ]
    rows += [ProviderRow(name, "", [], "", error) for name, error in providers.failures.items()]
    columns = ("package", "version", "connection_types", *(("error",) if providers.failures else ()))
    print_records(rows, output, columns, empty="no provider packages; `gnomon providers install http` installs one")


@providers.command()
@click.argument("packages", metavar="PACKAGE...", nargs=-1)
@click.option("-a", "--all", "all_modules", is_flag=True, help="List also the modules that can be imported.")
@output_option
@click.pass_context
def check(ctx: click.Context, packages: tuple[str, ...], all_modules: bool, output: str) -> None:
    """Import every module of installed provider packages (default: all of them), and say why a module cannot be imported.

    Exit code 0: each module can be imported, or needs an optional package that is not installed. 1: some modules cannot.
    """
    from gnomon.airflow_compat.migration.providers.provider_check import ImportVerdict, check_provider

    names = [normalize_package(text) for text in packages] or _list_installed()
    reports = [check_provider(name) for name in names]
    if output != "table":
        print_document([asdict(report) for report in reports], output)
    else:
        verdicts = tuple(ImportVerdict)
        rows = [
            {
                "package": shorten(report.package),
                "version": report.version,
                "modules": len(report.modules),
                **{verdict.value: report.count(verdict) for verdict in verdicts},
            }
            for report in reports
        ]
        click.echo(format_table(rows, ("package", "version", "modules", *(verdict.value for verdict in verdicts))))
        shown = [
            module
            for report in reports
            for module in report.modules
            if all_modules or module.verdict != ImportVerdict.IMPORTS.value
        ]
        if shown:
            click.echo("\n" + format_table([asdict(module) for module in shown], ("module", "verdict", "reason")))
    if any(report.count(ImportVerdict.FAILS) + report.count(ImportVerdict.MISSING_NAME) for report in reports):
        ctx.exit(1)


def _list_installed() -> list[str]:
    from importlib.metadata import distributions  # start-up cost: of this command alone

    names = sorted({str(distribution.metadata["Name"]).lower().replace("_", "-") for distribution in distributions()})
    provider_names = [name for name in names if name.startswith(PREFIX)]
    if not provider_names:
        raise UserError(say("no_provider_is_installed", command=Command("providers install", ("http",))))
    return provider_names
