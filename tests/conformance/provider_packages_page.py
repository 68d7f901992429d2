"""The pages about provider packages, from the records of their tests: reference/provider-packages.md and contributing/provider-tests.md."""

from __future__ import annotations

from typing import Any

from tests.conformance.provider_environment import PLANS, read_record
from tests.conformance.provider_unit_tests import PARTS, VERSIONS, read_counts

LACKS_A_NAME = "Gnomon lacks a name"


def packages_page() -> str:
    """Text of reference/provider-packages.md, for users: which packages are tried, and what cannot work in them."""
    record = read_record()
    missing = [other for one in record for other in one["others"] if other["verdict"] == LACKS_A_NAME]
    tried = ", ".join(f"{one['package']} {one['version']}" for one in record)
    parts = [
        "# Provider packages\n\n"
        f"{len(record)} published provider packages are tried with each release, installed without Airflow by `gnomon providers install`. Of others,\n"
        "`gnomon providers check` says which modules can be imported. A module that needs a further package names it when it is imported.\n\n"
        "Install google and microsoft-azure by two calls: they need different versions of `openai`. The package mysql needs the headers of MySQL to be built.\n\n"
        f"{tried}.\n\n"
        "These modules need a part of Airflow that Gnomon does not have, and cannot be imported:\n\n"
    ]
    parts += [f"- `{_shorten(other)}`\n" for other in missing]
    return "".join(parts)


def provider_tests_page() -> str:
    """Text of contributing/provider-tests.md: what of each package is tested, and why the rest is not."""
    record = read_record()
    used = sum(bool(one["use"]) and not one["use"].startswith("failed: ") for one in record)
    parts = [
        "# How provider packages are tested\n\n"
        f"{len(record)} published provider packages, installed without Airflow: all but mysql by {len(PLANS)} calls of `gnomon providers install`, each into an\n"
        "environment of its own. For each: how many of its modules can be imported (`gnomon providers check`), which cannot, and what of it runs in a\n"
        "test, on a server of this machine, on a local one that answers as the API of the service documents, or with a local driver in the place of that\n"
        f"of a database: {used} packages are in use there. The package mysql is installed by pip, without the one of its clients that has to be built.\n\n"
        f"{_list_plans()}\n"
        "Google and microsoft-azure are two plans, because google brings `litellm`, which needs `openai<3`, and microsoft-azure brings `azure-ai-projects`, which\n"
        "needs `openai>=3`.\n\n"
        "| package | version | modules that import | others | in use |\n|---|---|---|---|---|\n"
    ]
    parts += [
        f"| {one['package']} | {one['version']} | {one['imports']} | {len(one['others']) or ''} | {_to_cell(one['use'])} |\n"
        for one in record
    ]
    parts.append("\n## Modules that cannot be imported\n\n| module | verdict | reason |\n|---|---|---|\n")
    parts += [
        f"| `{_shorten(other)}` | {other['verdict']} | {_to_cell(_first_sentences(other['reason']))} |\n"
        for one in record
        for other in one["others"]
    ]
    parts.append(
        "\n## Their own unit tests\n\n"
        "The unit tests of these packages, from their source distributions, run against Gnomon. *Not applicable* are tests of Airflow's database, its\n"
        "processes and its private names, and tests that need a server or a package that is not there; the file\n"
        "`tests/conformance/airflow_unit/provider_failures.txt` has the reason of each test that does not pass.\n\n"
        "| package | version | part | outcome |\n|---|---|---|---|\n"
    )
    counts = read_counts()
    parts += [
        f"| {name} | {version} | {'a part' if name in PARTS else 'all'} | {counts[name]} |\n"
        for name, version in VERSIONS.items()
    ]
    parts += [f"\nOf {name}: {', '.join(f'`{part}`' for part in places)}.\n" for name, places in PARTS.items()]
    return "".join(parts)


def _list_plans() -> str:
    return "".join(
        f"- {name}: {', '.join(package.partition('==')[0] for package in packages)}\n"
        for name, packages in PLANS.items()
    )


def _shorten(other: dict[str, Any]) -> str:
    return str(other["module"]).removeprefix("airflow.providers.")


def _first_sentences(text: str) -> str:
    return text.partition(" docs/reference/")[0]


def _to_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
