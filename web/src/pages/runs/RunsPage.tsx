/** The runs of all DAGs. The filters are the address; pages follow one another by cursors, so that they stay right while runs are added. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import {
  filterChoicesQuery,
  RUN_STATES,
  RUN_TYPES,
  runCountQuery,
  runListQuery,
  type RunSearch,
} from "../../api/overviews";
import type { ListedRun, RunList } from "../../api/shapes";
import { HowLong, useNow } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import {
  addValue,
  listChips,
  listNegatableChips,
  listTextChips,
  removeChip,
  turnChip,
} from "../../components/filters/chipSearch";
import { countEntries, CursorPages } from "../../components/filters/CursorPages";
import { AddFilter, FilterChips } from "../../components/filters/FilterChips";
import { MoreFilters } from "../../components/filters/MoreFilters";
import { Negatable } from "../../components/filters/Negatable";
import { listPeriodChips, PeriodFields } from "../../components/filters/ListFilters";
import { SavedViews } from "../../components/filters/SavedViews";
import { WrappedName } from "../../components/Names";
import { StateBadge, stateName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { WhyButton } from "../../components/WhyButton";
import { t } from "../../state/language";
import { useKeptSearch } from "../../state/lastSearch";
import { findDefault } from "../../state/savedViews";
import { formatDuration, formatTime, useZone } from "../../state/times";
import { RUN_SORTS, runFields, runFlags, runTexts } from "./runFilters";
import "../../styles/lists.css";

const PATH = "/runs";
const route = getRouteApi(PATH);
/** The filters that a narrow window folds; those of values are seen as chips. */
const MORE = ["by", "from", "to", "longer", "shorter", "sort"] as const;

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  useKeptSearch(PATH, search);
  const set = (some: Record<string, unknown>, replace = false) =>
    void navigate({
      to: PATH,
      search: { ...search, cursor: undefined, view: undefined, ...some } as RunSearch,
      replace,
    });
  const runs = useQuery(runListQuery(search));
  return (
    <>
      <h1>{t("Runs")}</h1>
      <Filters search={search} set={set} found={runs.data} />
      <Answer query={runs} what={t("the runs")}>
        {(found) => (
          <div aria-busy={runs.isPlaceholderData}>
            {found.dag_runs.length > 0 ? <RunTable runs={found.dag_runs} /> : <p>{t("No run fits these filters.")}</p>}
            <CursorPages found={found} isFirst={!search.cursor} go={(cursor) => set({ cursor })} />
          </div>
        )}
      </Answer>
    </>
  );
}

interface FiltersProps {
  search: RunSearch;
  set: (some: Record<string, unknown>, replace?: boolean) => void;
  /** The list; undefined: it is not shown yet, and only then the timetables are asked for, so that they do not delay it. */
  found: RunList | undefined;
}

function Filters({ search, set, found }: FiltersProps) {
  const isShown = found !== undefined;
  const schedules = useQuery({ ...filterChoicesQuery(), enabled: isShown }).data?.schedules;
  const chips = [
    ...listTextChips(search as never, [{ field: "dag_id", label: t("DAG") }]),
    ...listNegatableChips(search as never, runTexts()),
    ...listChips(search as never, runFields(), runFlags()),
    ...listPeriodChips(search, useZone()),
  ];
  const all = useQuery({ ...runCountQuery(), enabled: isShown && chips.length > 0 }).data;
  return (
    <>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        {!search.dag_id && (
          <Negatable
            label={t("DAG")}
            value={search.dag}
            placeholder={t("part of a DAG id")}
            change={(dag) => set({ dag }, true)}
          />
        )}
        <Negatable
          label={t("Run")}
          value={search.run}
          placeholder={t("part of a run id")}
          change={(run) => set({ run }, true)}
        />
        <AddFilter
          label={t("State")}
          options={RUN_STATES.map((value) => ({ value, text: stateName(value) }))}
          add={(value) => set(addValue(search as never, "state", value))}
        />
        <AddFilter
          label={t("Type")}
          options={RUN_TYPES.map((value) => ({ value, text: stateName(value) }))}
          add={(value) => set(addValue(search as never, "type", value))}
        />
        {search.late === undefined && (
          <button type="button" onClick={() => set({ late: true })}>
            {t("Only late runs")}
          </button>
        )}
        <MoreFilters holds={MORE.filter((field) => search[field] !== undefined).length}>
          <AddFilter
            label={t("Timetable")}
            options={(schedules ?? []).map((one) => ({ value: one.value }))}
            add={(value) => set(addValue(search as never, "schedule", value))}
          />
          <PeriodFields search={search} set={set} />
          <label>
            {t("Sort by")}{" "}
            <select value={search.sort ?? "-run_after"} onChange={(event) => set({ sort: event.target.value })}>
              {RUN_SORTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {t(label)}
                </option>
              ))}
            </select>
          </label>
        </MoreFilters>
      </form>
      <div className="views-bar">
        <SavedViews path={PATH} search={search} />
      </div>
      <FilterChips
        chips={chips}
        clear={() => set({ ...EMPTY, view: findDefault(PATH) ? "all" : undefined })}
        remove={(chip) => set(removeChip(search as never, chip))}
        turn={(chip) => set(turnChip(search as never, chip))}
        lead={
          found && all
            ? t("{shown} of {all} runs fit these filters:", { shown: countEntries(found), all: countEntries(all) })
            : t("Filters:")
        }
      />
    </>
  );
}

const EMPTY = {
  dag_id: undefined,
  dag: undefined,
  run: undefined,
  state: undefined,
  state_not: undefined,
  type: undefined,
  type_not: undefined,
  schedule: undefined,
  schedule_not: undefined,
  late: undefined,
  by: undefined,
  from: undefined,
  to: undefined,
  longer: undefined,
  shorter: undefined,
};

/** By how much, which grows. */
function Late({ since }: { since: string }) {
  const now = useNow();
  const zone = useZone();
  return (
    <span title={t("late since {time}", { time: formatTime(since, zone) })}>
      {formatDuration(Math.max(0, Math.round((now - Date.parse(since)) / 1000)))}
    </span>
  );
}

function RunTable({ runs }: { runs: ListedRun[] }) {
  return (
    <div className="scroll">
      <table className="card-table">
        <thead>
          <tr>
            <th>{t("DAG")}</th>
            <th>{t("Run")}</th>
            <th>{t("State")}</th>
            <th>{t("Type")}</th>
            <th>{t("Due")}</th>
            <th>{t("Late by")}</th>
            <th>{t("Started")}</th>
            <th>{t("Ended")}</th>
            <th>{t("Duration")}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={`${run.dag_id} ${run.dag_run_id}`}>
              <td>
                <Link to="/dags/$dagId" params={{ dagId: run.dag_id }} search={{}} className="name" preload={false}>
                  <WrappedName name={run.dag_id} />
                </Link>
              </td>
              <td>
                <Link
                  to="/dags/$dagId/runs/$runId"
                  params={{ dagId: run.dag_id, runId: run.dag_run_id }}
                  className="name"
                  preload={false}
                >
                  <WrappedName name={run.dag_run_id} />
                </Link>
              </td>
              <td className="state-cell">
                <StateBadge state={run.state} />{" "}
                <WhyButton
                  dagId={run.dag_id}
                  runId={run.dag_run_id}
                  state={run.state === "queued" ? "queued" : "ended"}
                />
              </td>
              <td data-label={t("Type")}>{stateName(run.run_type)}</td>
              <td data-label={t("Due")}>
                <Time at={run.run_after} />
              </td>
              <td data-label={t("Late by")}>
                {run.late_since && (
                  <b className="bad">
                    <Late since={run.late_since} />
                  </b>
                )}
              </td>
              <td data-label={t("Started")}>{run.start_date && <Time at={run.start_date} />}</td>
              <td data-label={t("Ended")}>{run.end_date && <Time at={run.end_date} />}</td>
              <td data-label={t("Duration")}>
                {run.state === "running" && run.start_date ? (
                  <span className="soft">
                    <HowLong since={run.start_date} />
                  </span>
                ) : (
                  formatDuration(run.duration)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
