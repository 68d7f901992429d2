/** The runs of all DAGs; pages follow one another by cursors, so that they stay right while runs are added. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  filterChoicesQuery,
  RUN_STATES,
  RUN_TYPES,
  runCountQuery,
  runListQuery,
  type RunSearch,
} from "../../api/overviews";
import type { ListedRun } from "../../api/shapes";
import { HowLong, useNow } from "../../components/Ago";
import { addValue, listChips, listNegatableChips, listTextChips } from "../../components/filters/chipSearch";
import { countEntries, CursorPages } from "../../components/filters/CursorPages";
import { AddFilter } from "../../components/filters/FilterChips";
import { ListFrame, SortField, useFilters } from "../../components/filters/ListFrame";
import { StateFacets } from "../../components/filters/StateFacets";
import { listPeriodChips, PeriodFields } from "../../components/filters/ListFilters";
import { Negatable } from "../../components/filters/Negatable";
import { StateBadge, stateName, typeName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { WhyButton } from "../../components/WhyButton";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { FilterIcon } from "../../ui/icons";
import { Facet } from "../../ui/Pill";
import { nameRun } from "../../state/runNames";
import { formatDuration, formatTime, useZone } from "../../state/times";
import { RUN_SORTS, runFields, runFlags, runTexts } from "./runFilters";
import styles from "../../components/cards.module.css";

const PATH = "/runs";
const route = getRouteApi(PATH);

export function RunsPage() {
  const search = route.useSearch();
  const set = useFilters(PATH, search);
  const runs = useQuery(runListQuery(search));
  const chips = listHolding(search, useZone());
  const found = runs.data;
  // Asked for when the list is there, so that they do not delay it.
  const all = useQuery({ ...runCountQuery(), enabled: found !== undefined && chips.length > 0 }).data;
  const schedules = useQuery({ ...filterChoicesQuery(), enabled: found !== undefined }).data?.schedules;
  return (
    <ListFrame
      title={t("Runs")}
      path={PATH}
      search={search}
      set={set}
      chips={chips}
      count={
        found &&
        (chips.length === 0
          ? countEntries(found)
          : all && t("{shown} of {all}", { shown: countEntries(found), all: countEntries(all) }))
      }
      fields={
        <>
          {!search.dag_id && (
            <Negatable
              label={t("DAG")}
              isBare
              value={search.dag}
              placeholder={t("part of a DAG id")}
              change={(dag) => set({ dag }, true)}
            />
          )}
          <Negatable
            label={t("Run")}
            isBare
            value={search.run}
            placeholder={t("part of a run id")}
            change={(run) => set({ run }, true)}
          />
        </>
      }
      facets={
        <>
          <StateFacets search={search} set={set} states={RUN_STATES} nameOf={stateName} />
          <Facet
            label={t("late")}
            isChosen={search.late === true}
            toggle={() => set({ late: search.late === true ? undefined : true })}
          />
        </>
      }
      filters={
        <>
          <AddFilter
            label={t("Type")}
            options={RUN_TYPES.map((value) => ({ value, text: typeName(value) }))}
            add={(value) => set(addValue(search, "type", value))}
          />
          <AddFilter
            label={t("Timetable")}
            options={(schedules ?? []).map((one) => ({ value: one.value }))}
            add={(value) => set(addValue(search, "schedule", value))}
          />
          <PeriodFields search={search} set={set} />
        </>
      }
      display={<SortField sorts={RUN_SORTS} sort={search.sort} set={set} />}
      query={runs}
      what={t("the runs")}
      list={(shown) => (
        <>
          {shown.dag_runs.length > 0 ? (
            <RunTable runs={shown.dag_runs} />
          ) : (
            <EmptyState icon={FilterIcon} title={t("No run fits these filters.")} />
          )}
          <CursorPages found={shown} isFirst={!search.cursor} go={(cursor) => set({ cursor })} />
        </>
      )}
    />
  );
}

function listHolding(search: RunSearch, zone: string) {
  return [
    ...listTextChips(search, [{ field: "dag_id", label: t("DAG") }]),
    ...listNegatableChips(search, runTexts()),
    ...listChips(search, runFields(), runFlags()),
    ...listPeriodChips(search, zone),
  ];
}

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
  const zone = useZone();
  return (
    <div className="scroll">
      <table className={`${styles.cards} ${styles.compact}`}>
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
                  {run.dag_id}
                </Link>
              </td>
              <td>
                <Link
                  to="/dags/$dagId/runs/$runId"
                  params={{ dagId: run.dag_id, runId: run.dag_run_id }}
                  className="name"
                  title={run.dag_run_id}
                  preload={false}
                >
                  {nameRun(run.dag_run_id, zone)}
                </Link>
              </td>
              <td className={styles.state}>
                <StateBadge state={run.state} />{" "}
                <WhyButton
                  dagId={run.dag_id}
                  runId={run.dag_run_id}
                  state={run.state === "queued" ? "queued" : "ended"}
                />
              </td>
              <td data-label={t("Type")}>{typeName(run.run_type)}</td>
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
