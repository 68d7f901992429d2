"""Environments with fifty published provider packages: installed by `gnomon providers install`, checked, and used against local servers.

`python -m tests.conformance.provider_environment [PLAN...]` writes the record anew, from which the pages reference/provider-packages.md and
contributing/provider-tests.md are generated; with names of plans (`PLANS`) only the rows of their packages.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from tests.conformance.package_index import CACHE

import gnomon

USES = Path(__file__).parent / "provider_packages"
RECORD = USES / "record.json"
PACKAGES = (
    "http==6.3.0",
    "sqlite==4.3.4",
    "common-sql==2.4.0",
    "common-io==1.11.0",
    "common-messaging==2.1.2",
    "postgres==7.1.1",
    "ftp==3.16.1",
    "ssh==7.0.1",
    "sftp==7.0.0",
    "redis==4.7.1",
    "smtp==3.2.0",
    "slack==9.11.1",
    "amazon==9.39.0",
    "imap==3.13.1",
    "docker==4.6.1",
    "cncf-kubernetes==10.25.0",
    "apache-livy==4.6.4",
    "apache-druid==4.6.1",
    "apache-kafka==2.1.0",
    "dingding==3.10.1",
    "discord==3.12.5",
    "telegram==4.10.1",
    "opsgenie==5.11.1",
    "pagerduty==5.3.1",
    "jenkins==4.2.7",
    "github==2.12.1",
    "elasticsearch==6.10.0",
    "opensearch==1.15.0",
    "mongo==5.5.1",
    "influxdb==2.13.0",
    "hashicorp==4.8.4",
    "trino==6.7.1",
    "databricks==7.23.0",
    "dbt-cloud==4.11.1",
    "airbyte==6.2.0",
    "openai==2.2.0",
    "git==1.0.1",
    "apprise==2.4.1",
)
"""One plan of `gnomon providers install`."""
HADOOP = (
    "astronomer-cosmos==1.15.1",
    "dag-factory==1.1.0",
    "openlineage==2.20.3",
    "apache-spark==6.3.4",
    "apache-hive==9.7.1",
)
"""Another plan, in an environment of its own: these packages bring plugins, which would be called in the uses of the others."""
NOT_RECORDED = ("astronomer-cosmos", "dag-factory")
"""Packages that are no providers: they have tests of their own (test_cosmos.py)."""
BUSINESS = (
    "snowflake==6.20.0",
    "microsoft-mssql==4.7.2",
    "oracle==4.7.1",
    "presto==5.13.1",
    "jdbc==5.6.1",
    "odbc==4.13.1",
    "tableau==5.7.1",
    "salesforce==5.15.1",
    "common-ai==1.0.0",
)
"""A third plan: databases, Tableau and Salesforce; a module of snowflake uses common-ai."""
AZURE = ("microsoft-azure==15.2.1",)
"""A fourth plan."""
GOOGLE = ("google==22.8.0",)
"""A fifth plan: the largest package. google brings litellm, which needs openai<3; microsoft-azure brings azure-ai-projects, whose present version needs
openai>=3. In one plan with other packages, pip had not found versions that satisfy all after 14 minutes; alone, each plan takes two to four.
"""
PLANS = {"common": PACKAGES, "hadoop": HADOOP, "business": BUSINESS, "azure": AZURE, "google": GOOGLE}
"""The plans by name, each with an environment of its own."""
APART = (
    "apache-airflow-providers-mysql==6.7.1",
    "mysql-connector-python==26.10.0",
    "aiomysql==0.3.2",
    "pymysql==1.1.3",
)
"""The package mysql declares a client that is built with a library of the system; here it uses another one that it declares."""
SERVERS = ("moto[server,s3,sqs]>=5.2.2", "aiosmtpd", "pyftpdlib")
"""What the uses run as servers."""
INSTALL_TIMEOUT_S = 3600
CHECK_TIMEOUT_S = 900


def build_environment() -> Path:
    """The folder of a virtual environment with the packages, made once, in the checkout's cache folder; Gnomon in it is the tested one."""
    return build_venv([*PACKAGES, *APART, *SERVERS], _install_packages)


def build_with_packages(*packages: str) -> Path:
    """The folder of a virtual environment with Gnomon and these packages, installed by one call of `gnomon providers install`."""
    return build_venv(
        packages, lambda folder: run_gnomon(folder, "providers", "install", *packages, timeout_s=INSTALL_TIMEOUT_S)
    )


def build_venv(wanted: Sequence[str], install: Callable[[Path], object]) -> Path:
    """The folder of a virtual environment with the tested Gnomon in which `install` has been called once; `wanted` names its content."""
    name = "\n".join([sys.implementation.cache_tag or "", *wanted])
    folder = CACHE / "provider-environments" / hashlib.sha256(name.encode()).hexdigest()[:12]
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True, timeout=300)
        pip_install(folder, *(text for text in metadata.requires("gnomon") or () if Requirement(text).marker is None))
        _link_gnomon(folder)
        install(folder)
        (folder / "complete").touch()
    _link_gnomon(folder)
    return folder


def find_site_packages(folder: Path) -> Path:
    """The folder in which that environment has its packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))


def _install_packages(folder: Path) -> None:
    plan = json.loads(
        run_gnomon(folder, "providers", "install", "--dry-run", "-o", "json", *PACKAGES, timeout_s=INSTALL_TIMEOUT_S)
    )
    assert sum(row["requirement"].startswith("apache-airflow-providers-") for row in plan) >= len(PACKAGES)
    run_gnomon(folder, "providers", "install", *PACKAGES, timeout_s=INSTALL_TIMEOUT_S)
    pip_install(folder, "--no-deps", *APART)
    pip_install(folder, *SERVERS)


def _link_gnomon(folder: Path) -> None:
    (find_site_packages(folder) / "tested_gnomon.pth").write_text(f"{Path(gnomon.__file__).parent.parent}\n")


def pip_install(folder: Path, *words: str) -> None:
    """Install with pip of that environment."""
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def run_gnomon(folder: Path, *words: str, timeout_s: float, accepted: tuple[int, ...] = (0,)) -> str:
    """Standard output of the command `gnomon` of that environment."""
    done = subprocess.run(
        [str(folder / "bin" / "python"), "-m", "gnomon", *words],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=_environ(folder),
        cwd=folder,
    )
    assert done.returncode in accepted, done.stderr[-2000:]
    return done.stdout


def _environ(folder: Path) -> dict[str, str]:
    inherited = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("GNOMON_", "AIRFLOW_", "PYTHON", "PYTEST_"))
    }
    return {**inherited, "GNOMON_HOME": str(folder / "home"), "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}


def check_packages(folder: Path, *packages: str) -> list[dict[str, Any]]:
    """The answer of `gnomon providers check`: for each package (default: all that are installed) its modules, with verdict and reason."""
    return json.loads(
        run_gnomon(folder, "providers", "check", "-o", "json", *packages, timeout_s=CHECK_TIMEOUT_S, accepted=(0, 1))
    )  # type: ignore[no-any-return]


def run_uses(folder: Path, *packages: str) -> list[dict[str, str]]:
    """The uses of these packages in `provider_packages/`, each with its error, which is empty when all was right."""
    done = subprocess.run(
        [str(folder / "bin" / "python"), str(USES / "run_uses.py"), *packages],
        capture_output=True,
        text=True,
        timeout=CHECK_TIMEOUT_S,
        check=False,
        env=_environ(folder),
        cwd=USES,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def summarize(reports: list[dict[str, Any]], uses: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What the record keeps: for each package its version, the number of modules that import, the others with reasons, and its use."""
    used = {one["package"]: one["what"] if not one["error"] else f"failed: {one['error']}" for one in uses}
    found = []
    for report in reports:
        name = report["package"].removeprefix("apache-airflow-providers-")
        others = [
            {key: one[key] for key in ("module", "verdict", "reason")}
            for one in report["modules"]
            if one["verdict"] != "imports"
        ]
        found.append(
            {
                "package": name,
                "version": report["version"],
                "imports": len(report["modules"]) - len(others),
                "others": others,
                "use": used.get(name, ""),
            }
        )
    return found


def read_record() -> list[dict[str, Any]]:
    """The committed record."""
    return json.loads(RECORD.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def list_recorded(plan: str) -> list[str]:
    """The packages of the plan that have a row in the record: those that it names, and of the plan `common` also those that come with them."""
    names = [name.partition("==")[0] for name in PLANS[plan]]
    if plan == "common":
        others = {name for other in PLANS if other != plan for name in list_recorded(other)}
        names += [one["package"] for one in read_record() if one["package"] not in {*names, *others}]
    return [name for name in names if name not in NOT_RECORDED]


def measure(plan: str) -> list[dict[str, Any]]:
    """What the record says of the packages of the plan, measured now."""
    if plan == "common":
        folder, checked = build_environment(), []
        names = [name.partition("==")[0] for name in (*PACKAGES, APART[0].removeprefix("apache-airflow-providers-"))]
    else:
        folder = build_with_packages(*PLANS[plan])
        names = checked = list_recorded(plan)
    return summarize(check_packages(folder, *checked), run_uses(folder, *names))


def write_record(*plans: str) -> None:
    """Measure these plans (default: all), and write the record; the rows of other packages stay."""
    replaced = (
        {name for plan in plans for name in list_recorded(plan)} if plans else {one["package"] for one in read_record()}
    )
    rows = [one for one in read_record() if one["package"] not in replaced]
    for plan in plans or PLANS:
        rows += measure(plan)
    RECORD.write_text(json.dumps(sorted(rows, key=lambda one: str(one["package"])), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_record(*sys.argv[1:])
