"""What listeners are told about parsed files: new and repeated import errors, and assets and aliases that no file named before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.model.assets import AliasKey, AssetKey
from gnomon.model.spec import DagSpec, ParsedFile
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.services.dagfiles.listener_process import ListenerCall
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.parsed_files import dag_files


@dataclass(frozen=True, slots=True)
class KnownDeclarations:
    """What was known before files were recorded."""

    failed_files: frozenset[str]
    assets: frozenset[AssetKey]
    aliases: frozenset[str]


def read_known(tx: Transaction) -> KnownDeclarations:
    """What is known now."""
    declared = asset_declarations.list_declarations(tx)
    return KnownDeclarations(
        frozenset(error.path for error in dag_files.list_import_errors(tx)),
        frozenset(asset.key for asset in asset_declarations.list_assets(tx)),
        frozenset(each.leaf.name for each in declared if isinstance(each.leaf, AliasKey)),
    )


def find_calls(before: KnownDeclarations, parsed: Sequence[ParsedFile]) -> Iterator[ListenerCall]:
    """The calls for these files, each change once."""
    specs = [dag.spec for file in parsed for dag in file.dags]
    for key in sorted({asset.key for spec in specs for asset in spec.assets} - before.assets):
        yield ListenerCall("on_asset_created", {"name": key.name, "uri": key.uri})
    for name in sorted({name for spec in specs for name in _alias_names(spec)} - before.aliases):
        yield ListenerCall("on_asset_alias_created", {"name": name})
    for file in parsed:
        if file.failures:
            hook = "on_existing_dag_import_error" if file.path in before.failed_files else "on_new_dag_import_error"
            text = "\n".join(failure.traceback or failure.message for failure in file.failures)
            yield ListenerCall(hook, {"filename": file.path, "stacktrace": text})


def _alias_names(spec: DagSpec) -> Iterator[str]:
    leaves = [leaf for task in spec.tasks for leaf in (*task.inlets, *task.outlets)]
    leaves += [] if spec.asset_condition is None else iter_leaves(spec.asset_condition)
    return (leaf.name for leaf in leaves if isinstance(leaf, AliasKey))
