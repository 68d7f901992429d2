"""Baselines with the due time that matters now, and one baseline with all that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gnomon.ground.config import Config
from gnomon.ground.config.baselines import read_baselines
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import FRESH_LEAST_S, BaselinePrediction, BaselineRecord, BaselineVersion
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.queries.report.activity.baseline_ends import describe_idle
from gnomon.queries.report.activity.baseline_sentences import describe_baseline
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states, stored_baselines
from gnomon.storage.store.alert_records.baseline_states import ForecastHead

PAST_S = 3 * 86_400
"""So old are the due times that are read of all baselines at once; of one that has none of these, its newest is read."""
HISTORY = 60
"""Due times of one baseline that are read, the newest."""
IsVisible = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class StandingBaseline:
    """A baseline, and how it stands at the due time that matters now; `record` None: there is no prediction."""

    spec: BaselineSpec
    record: BaselineRecord | None
    sentence: Sentence
    is_stale: bool
    """No monitor judges it now: it may stand otherwise."""


@dataclass(frozen=True, slots=True)
class BaselineHistory:
    """A baseline with its due times, newest first, and the predictions of the one that matters now, oldest first."""

    standing: StandingBaseline
    records: Sequence[BaselineRecord]
    predictions: Sequence[BaselinePrediction]


def list_baselines(tx: Transaction, cfg: Config, now: Instant, is_visible: IsVisible) -> list[StandingBaseline]:
    """The baselines whose DAGs are all visible: of gnomon.toml, of DAG files that the newest forecast knows of, and stored ones."""
    head = baseline_states.find_forecast_head(tx)
    specs = _list_visible(_list_specs(tx, cfg, head), is_visible)
    by_name: dict[str, list[BaselineRecord]] = {spec.name: [] for spec in specs}
    for record in baseline_states.list_states(tx, now - PAST_S * SECOND) if specs else ():
        if record.baseline in by_name:
            by_name[record.baseline].append(record)
    return [
        _build(tx, spec, by_name[spec.name] or baseline_states.list_states_of(tx, spec.name, 1), now, cfg, head)
        for spec in specs
    ]


def find_baseline(tx: Transaction, cfg: Config, name: str, now: Instant, is_visible: IsVisible) -> BaselineHistory:
    """Raises NameNotFound, which names the visible baselines, for a name that none has."""
    head = baseline_states.find_forecast_head(tx)
    spec = _choose(_list_visible(_list_specs(tx, cfg, head), is_visible), name)
    records = baseline_states.list_states_of(tx, name, HISTORY)
    standing = _build(tx, spec, records, now, cfg, head)
    predictions = [] if standing.record is None else baseline_states.list_predictions(tx, name, standing.record.due_at)
    return BaselineHistory(standing, records, predictions)


def list_versions(tx: Transaction, cfg: Config, name: str, is_visible: IsVisible) -> list[BaselineVersion]:
    """The versions of the definition of a stored baseline, newest first, those of a former one of that name included; none of one of a file.

    Raises as `find_baseline` does. Versions that name DAGs which are not visible are left out.
    """
    find_spec(tx, cfg, name, is_visible)
    versions = stored_baselines.list_versions(tx, name)
    return [each for each in versions if each.spec is None or all(is_visible(text) for text in each.spec.of)]


def find_spec(tx: Transaction, cfg: Config, name: str, is_visible: IsVisible) -> BaselineSpec:
    """The baseline of that name. Raises as `find_baseline` does."""
    return _choose(_list_visible(_list_specs(tx, cfg, baseline_states.find_forecast_head(tx)), is_visible), name)


def _choose(specs: Sequence[BaselineSpec], name: str) -> BaselineSpec:
    for spec in specs:
        if spec.name == name:
            return spec
    names = ", ".join(spec.name for spec in specs)
    sentence = say("baseline_does_not_exist", baseline=name, names=names) if names else say("no_baseline_exists")
    raise NameNotFound("baseline", name, sentence, ())


def list_names(tx: Transaction, cfg: Config, is_visible: IsVisible) -> list[str]:
    """The names of the baselines whose DAGs are all visible. Raises OptionError for a wrong one of gnomon.toml."""
    specs = _list_specs(tx, cfg, baseline_states.find_forecast_head(tx))
    return [spec.name for spec in _list_visible(specs, is_visible)]


def list_written_specs(tx: Transaction, cfg: Config) -> list[BaselineSpec]:
    """The baselines that stand in gnomon.toml, and in DAG files as far as the newest forecast knows of them."""
    return _read_written(cfg, baseline_states.find_forecast_head(tx))


def _read_written(cfg: Config, head: ForecastHead | None) -> list[BaselineSpec]:
    of_dags = () if head is None else (spec for spec in head.promises.specs if spec.is_of_dag_file)
    return [*read_baselines(cfg.home, cfg.text("core", "default_timezone")), *of_dags]


def _list_specs(tx: Transaction, cfg: Config, head: ForecastHead | None) -> list[BaselineSpec]:
    """Of several with the same name the first one."""
    specs: dict[str, BaselineSpec] = {}
    for spec in (*_read_written(cfg, head), *stored_baselines.list_specs(tx)):
        specs.setdefault(spec.name, spec)
    return list(specs.values())


def _list_visible(specs: Iterable[BaselineSpec], is_visible: IsVisible) -> list[BaselineSpec]:
    return [spec for spec in specs if all(is_visible(text) for text in spec.of)]


def _build(
    tx: Transaction,
    spec: BaselineSpec,
    records: Sequence[BaselineRecord],
    now: Instant,
    cfg: Config,
    head: ForecastHead | None,
) -> StandingBaseline:
    record = choose_record(records, now)
    if record is None:
        sentence = describe_idle(tx, spec) or say(
            "baseline_has_no_prediction", baseline=spec.name, duration=cfg.number("forecast", "interval")
        )
        return StandingBaseline(spec, record, sentence, head is None or not head.is_fresh(now))
    is_fresh = now <= record.forecast.at + FRESH_LEAST_S * SECOND or (head is not None and head.is_fresh(now))
    sentence = describe_baseline(record)
    if record.is_final or is_fresh:
        return StandingBaseline(spec, record, sentence, is_stale=False)
    old = say("baseline_prediction_is_old", since=record.forecast.at, why=sentence)
    return StandingBaseline(spec, record, old, is_stale=True)


def choose_record(records: Iterable[BaselineRecord], now: Instant) -> BaselineRecord | None:
    """The due time that matters now: one that is broken and not done, else the next one, else the newest."""
    ordered = sorted(records, key=lambda record: record.due_at)
    broken = [record for record in ordered if record.due_at <= now and not record.is_final]
    coming = [record for record in ordered if record.due_at > now]
    if broken:
        return broken[-1]
    return coming[0] if coming else (ordered[-1] if ordered else None)
