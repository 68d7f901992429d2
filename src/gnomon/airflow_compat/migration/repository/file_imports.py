"""The imports of a file, compared with the coverage table: what Gnomon lacks, and which provider packages are needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from gnomon.airflow_compat import coverage, old_names, tree_exports
from gnomon.airflow_compat.coverage_row import CoverageStatus
from gnomon.airflow_compat.migration.repository.findings import Finding, Severity
from gnomon.airflow_compat.migration.repository.guarded_code import iterate_statements
from gnomon.author_code.loading.provider_names import find_package, shorten
from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2

AIRFLOW_3_ONLY = (
    "airflow.sdk",
    "airflow.providers.standard",
    "airflow.assets",
    "airflow.partition_mappers",
    "airflow.providers.common.compat.sdk",
)
"""Modules that Airflow 2 does not have."""
AIRFLOW_2_ONLY = (
    "airflow.contrib",
    "airflow.operators.python_operator",
    "airflow.operators.bash_operator",
    "airflow.operators.dummy",
    "airflow.operators.subdag",
    "airflow.utils.dates",
    "airflow.operators.dagrun_operator",
    "airflow.hooks.base_hook",
    "airflow.operators.dummy_operator",
    "airflow.operators.email_operator",
    "airflow.sensors.base_sensor_operator",
)
"""Modules that Airflow 3 does not have."""
_OLD_PROVIDER_MODULES = {
    "postgres": "postgres",
    "mysql": "mysql",
    "sqlite": "sqlite",
    "http": "http",
    "ssh": "ssh",
    "sftp": "sftp",
    "ftp": "ftp",
    "slack": "slack",
    "s3": "amazon",
    "aws": "amazon",
    "emr": "amazon",
    "redshift": "amazon",
    "bigquery": "google",
    "gcs": "google",
    "gcp": "google",
    "dataproc": "google",
    "kubernetes": "cncf-kubernetes",
    "spark": "apache-spark",
    "hive": "apache-hive",
    "snowflake": "snowflake",
    "docker": "docker",
    "redis": "redis",
    "databricks": "databricks",
    "oracle": "oracle",
    "mssql": "microsoft-mssql",
    "mongo": "mongo",
    "presto": "presto",
    "druid": "apache-druid",
    "jdbc": "jdbc",
    "wasb": "microsoft-azure",
    "azure": "microsoft-azure",
}
"""The first part of module names of Airflow 1 below operators, hooks and sensors, to the package that has them since."""


@dataclass(slots=True)
class FileImports:
    """What the imports of a file show."""

    findings: list[Finding] = field(default_factory=list)
    providers: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    """Name in the file to the dotted path that it stands for."""
    refused: dict[str, Finding] = field(default_factory=dict)
    """Name in the file to the finding that holds once the name is used (the name can be imported, and raises on use)."""
    modules: set[str] = field(default_factory=set)
    fatal: Finding | None = None
    """The first import that keeps the file from being imported; None: it can be imported."""
    dialect: int = 3
    """`[core] airflow_dialect` of this installation."""


def read_imports(tree: ast.Module, dialect: int) -> FileImports:
    """Return what the imports of the file show. `dialect`: `[core] airflow_dialect` of this installation."""
    imports = FileImports(dialect=dialect)
    for placed in iterate_statements(tree.body):
        node = placed.node
        finding_count = len(imports.findings)
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports.names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                if _is_airflow(alias.name):
                    _add_module(imports, alias.name, node.lineno, placed.is_guarded)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                imports.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                if _is_airflow(node.module):
                    _add_name(imports, node.module, alias, node.lineno, placed.is_guarded)
        if imports.fatal is None and not placed.is_deferred:
            imports.fatal = next(
                (finding for finding in imports.findings[finding_count:] if finding.severity is Severity.MISSING), None
            )
    return imports


def _is_airflow(module: str) -> bool:
    return module == "airflow" or module.startswith("airflow.")


def _add_module(imports: FileImports, module: str, line: int, is_guarded: bool) -> None:
    imports.modules.add(module)
    package = find_package(module)
    if package is not None:
        imports.providers.add(package)
        return
    if tree_exports.has_module(module) or is_guarded or (imports.dialect == AIRFLOW_2 and _is_old(module)):
        return
    imports.findings.append(Finding(line, Severity.MISSING, "import", f"import {module}: {_explain_module(module)}"))


def _add_name(imports: FileImports, module: str, alias: ast.alias, line: int, is_guarded: bool) -> None:
    imports.modules.add(module)
    package = find_package(module) or (
        find_package(f"{module}.{alias.name}") if module.startswith("airflow.providers") else None
    )
    if package is not None:
        imports.providers.add(package)
        return None
    if alias.name == "*":
        return _add_module(imports, module, line, is_guarded)
    row = coverage.find_row(module, alias.name)
    if row is not None and row.status is CoverageStatus.PROVIDED:
        return None
    path = old_names.find_old_path(module, alias.name)
    if path is not None and (row is not None or imports.dialect == AIRFLOW_2):
        return _add_old_name(imports, f"{module}.{alias.name}", path, line)
    if imports.dialect == AIRFLOW_2 and _is_old(f"{module}.{alias.name}"):
        return None
    if row is not None and row.status is CoverageStatus.WORD:
        imports.findings.append(
            Finding(line, Severity.NOTE, "no-effect", f"{module}.{alias.name} has no effect: {row.why}")
        )
    elif row is not None and row.status is CoverageStatus.REFUSES:
        imports.refused[alias.asname or alias.name] = Finding(
            line, Severity.MISSING, _name_rule(module, alias.name), f"{module}.{alias.name}: {row.why}"
        )
    elif tree_exports.has_module(f"{module}.{alias.name}") or is_guarded or _is_unlisted(module, alias.name):
        return None
    elif row is not None:
        imports.findings.append(
            Finding(line, Severity.MISSING, "import", f"{module}.{alias.name} is not supported: {row.why}")
        )
    else:
        reason = "does not exist in Gnomon" if tree_exports.has_module(module) else _explain_module(module)
        imports.findings.append(
            Finding(line, Severity.MISSING, "import", f"from {module} import {alias.name}: {reason}")
        )
    return None


def _is_unlisted(module: str, name: str) -> bool:
    """Whether the name works without a row in the table: the module imports it, or it is a constant of the module."""
    return old_names.find_reexport(module, name) is not None or old_names.has_plain_value(module, name)


def _is_old(module: str) -> bool:
    return old_names.is_old_module(module) or old_names.is_old_package(module)


def _add_old_name(imports: FileImports, name: str, path: str, line: int) -> None:
    package = find_package(path)
    if package is not None:
        imports.providers.add(package)
    imports.findings.append(Finding(line, Severity.NOTE, "old-path", f"{name} is {path} since Airflow 2"))


def _name_rule(module: str, name: str) -> str:
    if "subdag" in module or "SubDag" in name:
        return "subdag"
    return (
        "metadata-database"
        if module.startswith(("airflow.models", "airflow.settings", "airflow.utils.session", "airflow.utils.db"))
        else "refused-name"
    )


def _explain_module(module: str) -> str:
    row = coverage.find_module_row(module)
    if old_names.is_old_module(module):
        packages = sorted(
            {
                shorten(package)
                for path in old_names.read_old_paths()[module].values()
                if (package := find_package(path)) is not None
            }
        )
        command = f"run `gnomon providers install {' '.join(packages)}`; " if packages else ""
        return f"{command}{old_names.describe_old_module(module)}"
    leaf = module.rpartition(".")[2]
    if row is None or module.startswith("airflow.contrib"):
        for part in leaf.split("_"):
            if part in _OLD_PROVIDER_MODULES and ".providers." not in module:
                return f"the module moved to a provider package: run `gnomon providers install {_OLD_PROVIDER_MODULES[part]}` and import it from there"
    return "does not exist in Gnomon" if row is None or not row.why else f"not supported: {row.why}"


def iterate_refused_uses(tree: ast.Module, imports: FileImports) -> Iterator[Finding]:
    """Yield a finding for each imported name that raises on use: at its first use outside annotations, or a note where it has none."""
    used = _find_uses(tree, set(imports.refused))
    for name, finding in imports.refused.items():
        if name in used:
            yield Finding(used[name], finding.severity, finding.rule, finding.message)
        else:
            yield Finding(
                finding.line,
                Severity.NOTE,
                finding.rule,
                f"{finding.message} (imported, but used in annotations only, which is fine)",
            )


def _find_uses(tree: ast.Module, names: set[str]) -> dict[str, int]:
    annotations: set[int] = set()
    for node in ast.walk(tree):
        marked = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        annotations |= {
            id(inner) for annotation in marked if isinstance(annotation, ast.AST) for inner in ast.walk(annotation)
        }
    used: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names and id(node) not in annotations:
            used[node.id] = min(used.get(node.id, node.lineno), node.lineno)
    return used


def iterate_attribute_findings(tree: ast.Module, imports: FileImports) -> Iterator[Finding]:
    """Yield a finding for each `module.name` that raises on use, such as `settings.Session`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        path = resolve_path(node, imports.names)
        if path is None or not _is_airflow(path):
            continue
        module, _, name = path.rpartition(".")
        row = coverage.find_row(module, name)
        if row is not None and row.status is CoverageStatus.REFUSES:
            yield Finding(node.lineno, Severity.MISSING, _name_rule(module, name), f"{path}: {row.why}")
        elif row is not None and row.status is CoverageStatus.LATER:
            yield Finding(node.lineno, Severity.MISSING, "import", f"{path} is not supported: {row.why}")


def resolve_path(node: ast.expr, names: dict[str, str]) -> str | None:
    """Return the dotted path that an expression stands for, by the imports of the file; None for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])


def find_airflow_version(modules: set[str]) -> int | None:
    """Return 2 or 3 when the imports say for which Airflow the file was written; None when they do not, or say both."""
    is_new = any(
        module == airflow_module or module.startswith(f"{airflow_module}.")
        for module in modules
        for airflow_module in AIRFLOW_3_ONLY
    )
    is_old = any(
        module == airflow_module or module.startswith(f"{airflow_module}.")
        for module in modules
        for airflow_module in AIRFLOW_2_ONLY
    )
    return None if is_new == is_old else 3 if is_new else 2
