"""What an installation of provider packages consists of, and what of an installed package can be imported."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from gnomon.airflow_compat.migration.providers import provider_plan
from gnomon.airflow_compat.migration.providers.package_imports import list_imported_packages
from gnomon.airflow_compat.migration.providers.package_installer import _describe_failure
from gnomon.airflow_compat.migration.providers.provider_plan import build_plan
from gnomon.author_code.loading.provider_names import find_package, normalize_package, shorten
from gnomon.authoring.sdk.connections.provider_packages import load_provider_packages
from gnomon.entry.cli.main import main
from gnomon.model.errors.product import UserError

INDEX = {
    "apache-airflow-providers-alpha": {
        "1.0": (
            [
                "apache-airflow>=2.11",
                "apache-airflow-providers-common-beta>=1",
                "alphalib>=2",
                "extralib; extra == 'more'",
            ],
            "import requests\nimport structlog\ntry:\n    import attrs\nexcept ImportError:\n    attrs = None\ndef f():\n    import tabulate\n",
        ),
    },
    "apache-airflow-providers-common-beta": {
        "2.0": (
            ["apache-airflow>=2.11", "apache-airflow-providers-standard", "alphalib>=2"],
            "import sqlparse\nimport alphalib\n",
        ),
        "1.5": (["apache-airflow>=2.11"], ""),
    },
    "apache-airflow-providers-common-io": {"1.0": (["apache-airflow>=2.11"], "import fsspec\n")},
    "apache-airflow-providers-gamma": {"1.0": (["apache-airflow-core>=9", "gammalib"], "")},
    "apache-airflow-providers-delta": {
        "1.0": (["apache-airflow-providers-common-beta<2", "apache-airflow-providers-alpha"], "")
    },
}
"""Package to version to (requirements, source)."""


def unpack(requirements: Sequence[str], folder: Path) -> None:
    for wanted in map(Requirement, requirements):
        version = next(one for one in INDEX[wanted.name] if wanted.specifier.contains(one))
        requires, source = INDEX[wanted.name][version]
        write_package(folder, wanted.name, version, requires, {"hook.py": source})


def write_package(folder: Path, name: str, version: str, requires: list[str], files: dict[str, str]) -> None:
    parts = ["airflow", "providers", *shorten(name).split("-")]
    place = folder.joinpath(*parts)
    place.mkdir(parents=True)
    for file, source in files.items():
        (place / file).write_text(source)
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        + "".join(f"Requires-Dist: {one}\n" for one in requires)
    )
    info.joinpath("RECORD").write_text("".join(f"{'/'.join(parts)}/{file},,\n" for file in files))


def plan(*names: str) -> dict[str, str]:
    return {
        one.requirement: one.reason for one in build_plan([normalize_package(name) for name in names], unpack, "3.3.2")
    }


@pytest.fixture(autouse=True)
def without_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an environment with Gnomon alone."""
    monkeypatch.setattr(provider_plan, "_can_be_imported", lambda module: False)


def test_a_plan_has_the_providers_what_they_declare_and_what_they_import_of_airflow() -> None:
    assert plan("alpha") == {
        "apache-airflow-providers-alpha==1.0": "asked for",
        "apache-airflow-providers-common-beta==2.0": "needed by alpha",
        "alphalib>=2": "declared by alpha, common-beta",
        "requests>=2.27,<3": "imported by alpha, and declared by Airflow alone",
        "sqlparse>=0.5.1": "imported by common-beta, and declared by Airflow alone",
        "structlog>=25": "imported by alpha, and declared by Airflow alone",
    }


def test_a_package_that_uses_object_storage_gets_what_that_needs() -> None:
    assert plan("common-io")["universal-pathlib>=0.3.8"] == "needed by ObjectStoragePath, which common-io uses"
    assert "universal-pathlib>=0.3.8" not in plan("alpha")


def test_an_extra_brings_its_requirements_and_a_version_that_another_package_excludes_is_replaced() -> None:
    assert "extralib" in plan("alpha[more]")
    found = plan("delta")
    assert found["apache-airflow-providers-common-beta==1.5"] == "needed by delta, needed by alpha"
    assert "sqlparse>=0.5.1" not in found


def test_packages_are_downloaded_together() -> None:
    calls: list[list[str]] = []

    def count(requirements: Sequence[str], folder: Path) -> None:
        calls.append(list(requirements))
        unpack(requirements, folder)

    wanted = [normalize_package(name) for name in ("alpha", "common-beta==2.0")]
    build_plan([*wanted, normalize_package("common-beta")], count, "3.3.2")
    assert calls == [["apache-airflow-providers-alpha", "apache-airflow-providers-common-beta==2.0"]]


def test_a_reason_names_a_few_packages() -> None:
    assert provider_plan._join(["needed by a", "needed by b"]) == "needed by a, needed by b"
    assert provider_plan._join(list("abcdef")) == "a, b, c, d and 2 more"


def test_a_package_for_a_later_airflow_is_refused() -> None:
    with pytest.raises(UserError, match=r"gamma 1.0 needs apache-airflow-core>=9, and Gnomon stands for Airflow 3.3.2"):
        plan("gamma")


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("http", "apache-airflow-providers-http"),
        ("common.sql", "apache-airflow-providers-common-sql"),
        ("airflow.providers.cncf.kubernetes", "apache-airflow-providers-cncf-kubernetes"),
        ("Common_SQL==1.2", "apache-airflow-providers-common-sql==1.2"),
        ("apache-airflow-providers-ftp", "apache-airflow-providers-ftp"),
        ("amazon[s3fs]", "apache-airflow-providers-amazon[s3fs]"),
        ("astronomer-cosmos==1.15.1", "astronomer-cosmos==1.15.1"),
        ("dag_factory", "dag-factory"),
        ("airflow-provider-duckdb", "airflow-provider-duckdb"),
    ],
)
def test_a_package_is_named_in_each_way(text: str, package: str) -> None:
    assert normalize_package(text) == package


@pytest.mark.parametrize(
    ("text", "told"),
    [("a b", "is not a provider package"), ("apache-airflow", "is Airflow itself"), ("", "is not a provider package")],
)
def test_other_names_are_refused(text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        normalize_package(text)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("airflow.providers.amazon.aws.hooks.s3", "amazon"),
        ("airflow.providers.apache.kafka.hooks", "apache-kafka"),
        ("airflow.providers.microsoft.azure.hooks.wasb", "microsoft-azure"),
        ("airflow.providers.google.cloud.hooks.gcs", "google"),
        ("airflow.providers.common.sql.hooks.sql", "common-sql"),
        ("airflow.providers.cncf.kubernetes.operators.pod", "cncf-kubernetes"),
        ("airflow.providers.standard.operators.bash", None),
        ("airflow.providers", None),
        ("airflow.providers.common", None),
        ("airflow.models", None),
    ],
)
def test_the_package_of_a_module(module: str, package: str | None) -> None:
    found = find_package(module)
    assert (None if found is None else shorten(found)) == package


def test_imports_that_may_fail_are_not_needed(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import a.b\nfrom c import d\nfrom . import e\nif TYPE_CHECKING:\n    import f\ntry:\n    import g\nexcept (ImportError, OSError):\n    import h\n"
        "try:\n    import i\nexcept KeyError:\n    pass\ndef j():\n    import k\nclass L:\n    import l\nif AIRFLOW_V_3_0_PLUS:\n    import m\nif x:\n    import n\n"
    )
    assert set(list_imported_packages(tmp_path, [tmp_path / "m.py", tmp_path / "RECORD"])) == {"a", "c", "i", "l", "n"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "WARNING: Retrying ... NewConnectionError ... Failed to establish a new connection\nERROR: No matching distribution found for x",
            "no package index answers",
        ),
        ("ERROR: No matching distribution found for x", "is not on the package index"),
        ("ERROR: No matching distribution found for y>=2", "y>=2 is not on the package index"),
        ("some log\nERROR: disk full", "x could not be installed: ERROR: disk full"),
        ("", "no message"),
        (
            "  Traceback\n      KeyError: 'a'\n      Exception: no header files of mysql\n  [end of output]\nerror: subprocess-exited-with-error\n\n"
            "\u00d7 Getting requirements to build wheel did not run successfully.\n\u2570\u2500> See above for output.",
            "one of these packages is not built for this machine, and building it failed: Exception: no header files of mysql. Install what it names",
        ),
        (
            "  fatal error: Python.h: No such file\n  ERROR: Failed building wheel for mysqlclient\n",
            "mysqlclient is not built for this machine, and building it failed: fatal error: ",
        ),
        ("\u00d7 Failed to build `mysqlclient==2.2.8`\n", "mysqlclient==2.2.8 is not built for this machine"),
    ],
)
def test_a_failure_of_the_installer_becomes_a_sentence(text: str, told: str) -> None:
    assert told in _describe_failure("x", text)


@pytest.mark.ordinary
def test_check_says_of_each_module_whether_it_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(
        tmp_path,
        "apache-airflow-providers-omega",
        "1.0",
        [],
        {
            "__init__.py": "",
            "good.py": "from airflow.sdk import BaseHook\n",
            "needs.py": "import no_such_library.part\n",
            "lacks.py": "from airflow.models import NoSuchName\n",
            "fails.py": "1 / 0\n",
            "ends.py": "import os\nos._exit(3)\n",
            "other.py": "from airflow.providers.psi.hooks import x\n",
            "prints.py": "print('noise')\n",
            "family.py": "from airflow.providers.microsoft.azure.hooks.wasb import (\n    WasbHook,\n)\n",
            "says.py": (
                "from airflow.sdk.exceptions import AirflowOptionalProviderFeatureException\ntry:\n    import airflow.providers.cncf.kubernetes.hooks\n"
                "except ModuleNotFoundError as error:\n    raise AirflowOptionalProviderFeatureException(error) from error\n"
            ),
            "library.py": "raise ImportError('libshop.so.2: cannot open shared object file: No such file or directory')\n",
        },
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["providers", "check", "omega", "-o", "json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    found = {one["module"].rpartition(".")[2]: (one["verdict"], one["reason"]) for one in report["modules"]}
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        "good": "imports",
        "prints": "imports",
        "needs": "needs a package",
        "other": "needs a package",
        "lacks": "Gnomon lacks a name",
        "fails": "fails",
        "ends": "fails",
        "family": "needs a package",
        "says": "needs a package",
        "library": "needs a package",
    }
    assert found["needs"][1] == "no_such_library"
    assert found["other"][1] == "gnomon providers install psi"
    assert found["family"][1] == "gnomon providers install microsoft-azure"
    assert found["says"][1] == "gnomon providers install cncf-kubernetes"
    assert found["library"][1] == "libshop.so.2, a library of the system"
    assert "ZeroDivisionError" in found["fails"][1]
    assert "exit code 3" in found["ends"][1]
    assert main(["providers", "check", "sigma"]) == 1
    assert "is not installed; run `gnomon providers install sigma`" in capsys.readouterr().err


def test_list_shows_the_installed_packages_and_their_connection_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path, "apache-airflow-providers-omega", "1.0", [], {})
    (tmp_path / "apache_airflow_providers_omega-1.0.dist-info" / "entry_points.txt").write_text(
        "[apache_airflow_provider]\nprovider_info=omega_info:describe\n"
    )
    (tmp_path / "omega_info.py").write_text(
        "def describe():\n    return {'package-name': 'apache-airflow-providers-omega', 'connection-types': [{'connection-type': 'omega'}]}\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    load_provider_packages.cache_clear()
    try:
        assert main(["providers", "list", "-o", "json"]) == 0
    finally:
        load_provider_packages.cache_clear()
    found = {row["package"]: row for row in json.loads(capsys.readouterr().out)}["apache-airflow-providers-omega"]
    assert (found["version"], found["connection_types"], found["error"]) == ("1.0", ["omega"], None)
