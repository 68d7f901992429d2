/** Which runs of a day wait for which runs of other DAGs: a time line, with the states of the runs that there are. The address has DAG and day. */

import { Sentence } from "../../components/Sentences";
import { useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import {
  type DayDependencies,
  dayQuery,
  type DependencyGraph,
  dependencyGraphQuery,
  slotRunsQuery,
} from "../../api/across";
import { useNow } from "../../components/Ago";
import { Answer, Failure } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { useZone } from "../../state/times";
import { Button, IconButton, Segments } from "../../ui/Button";
import { Combobox } from "../../ui/Combobox";
import { EmptyState } from "../../ui/EmptyState";
import { EarlierIcon, GraphIcon, LaterIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { DayChart } from "./DayChart";
import { buildDay } from "./dayModel";
import { DayTable } from "./DayTable";
import { addDays, zoneName } from "../../state/zonedTimes";

export interface DayView {
  dag?: string;
  day?: string;
  /** Dependencies of the DAG to pass over. */
  first?: number;
  /** The times are of the zone that the page has, and not of that of the DAG. */
  zone?: "page";
}

const DOWNSTREAM_MAX = 8;
const PAGE = 20;
const OPTIONS_MAX = 300;
const MARGIN_MS = 40 * 3_600_000;
const WINDOW_MAX_MS = 39 * 86_400_000;

const route = getRouteApi("/dependencies");

export function DayPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: DayView) =>
    void navigate({ to: "/dependencies", search: { ...view, ...some }, resetScroll: false });
  const graph = useQuery(dependencyGraphQuery());
  return (
    <>
      <PageHeader
        title={t("Dependencies of a day")}
        facts={
          <>
            <Link to="/dependencies/graph" search={{}}>
              {t("Graph of DAGs and assets")}
            </Link>
            <span>{t("which runs of a day wait for which runs of other DAGs")}</span>
          </>
        }
      />
      <Answer query={graph} what={t("the dependencies")}>
        {(found) => (
          <>
            <Toolbar label={t("Controls")}>
              <Combobox
                label={t("DAG")}
                value={view.dag ?? ""}
                values={listConnected(found)}
                placeholder={t("DAG")}
                choose={(dag) => set({ dag: dag || undefined, first: undefined })}
                isBare
              />
              {view.dag !== undefined && <DayBar dagId={view.dag} view={view} set={set} />}
            </Toolbar>
            {view.dag === undefined ? (
              <ChooseDag graph={found} day={view.day} />
            ) : (
              <Day key={view.dag} dagId={view.dag} view={view} graph={found} set={set} />
            )}
          </>
        )}
      </Answer>
    </>
  );
}

/** A template or a phrase stands in the place of an id that is known only when the task runs. */
const isDagId = (name: string) => !/[{(]/.test(name);

function ChooseDag({ graph, day }: { graph: DependencyGraph; day: string | undefined }) {
  const known = graph.dependencies.filter((one) => isDagId(one.dag_id) && isDagId(one.upstream_dag_id));
  const waiting = [...new Set(known.map((one) => one.dag_id))];
  if (waiting.length === 0) {
    return (
      <EmptyState icon={GraphIcon} title={t("No DAG waits for another one.")}>
        {t("A DAG that does has depends_on or an ExternalTaskSensor in its file.")}
      </EmptyState>
    );
  }
  return (
    <section>
      <h2>{tn("{count} DAG waits for others", "{count} DAGs wait for others", waiting.length)}</h2>
      <ul className="lines">
        {waiting.slice(0, OPTIONS_MAX).map((dagId) => {
          const upstream = [...new Set(known.filter((one) => one.dag_id === dagId).map((one) => one.upstream_dag_id))];
          return (
            <li key={dagId}>
              <Link to="/dependencies" search={{ dag: dagId, day }} className="name">
                {dagId}
              </Link>{" "}
              <span className="soft">
                {t("waits for")}{" "}
                {upstream.map((one, at) => (
                  <span key={one}>
                    {at > 0 && ", "}
                    <Link to="/dags/$dagId" params={{ dagId: one }} search={{}} className="name">
                      {one}
                    </Link>
                  </span>
                ))}
              </span>
            </li>
          );
        })}
      </ul>
      {waiting.length > OPTIONS_MAX && (
        <p className="soft">{t("The first {count} are shown: type a part of a name above.", { count: OPTIONS_MAX })}</p>
      )}
    </section>
  );
}

interface DayProps {
  dagId: string;
  view: DayView;
  graph: DependencyGraph;
  set: (some: DayView) => void;
}

function Day({ dagId, view, graph, set }: DayProps) {
  const first = view.first ?? 0;
  const main = useQuery(dayQuery(dagId, view.day, first));
  const day = main.data?.day;
  const downstream = listDownstream(graph, dagId);
  const { others, read } = useQueries({
    queries: downstream.slice(0, DOWNSTREAM_MAX).map((one) => ({ ...dayQuery(one, day), enabled: day !== undefined })),
    combine: combineDays,
  });
  usePrefetch(dagId, day, first);
  return (
    <Answer query={main} what={t("the dependencies of the day")}>
      {(found) => (
        <>
          <DayLanes dagId={dagId} found={found} others={read} view={view} set={set} />
          {others.map(
            (one, at) =>
              one.isError && (
                <Failure
                  key={at}
                  what={t("what waits for the DAG")}
                  error={one.error}
                  retry={() => void one.refetch()}
                />
              ),
          )}
          {downstream.length > DOWNSTREAM_MAX && (
            <p className="soft">
              {t("{shown} of the {count} DAGs that wait for it are shown.", {
                shown: DOWNSTREAM_MAX,
                count: downstream.length,
              })}
            </p>
          )}
          {(found.left_out > 0 || first > 0) && (
            <p>
              {tn(
                "{count} further dependency is not shown.",
                "{count} further dependencies are not shown.",
                found.left_out,
              )}{" "}
              <Button disabled={first === 0} onClick={() => set({ first: first > PAGE ? first - PAGE : undefined })}>
                {t("Previous")}
              </Button>{" "}
              <Button disabled={found.left_out === 0} onClick={() => set({ first: first + PAGE })}>
                {t("Next")}
              </Button>
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

/** All answers, and the days of those that have come: the same list as long as none changes. */
function combineDays(others: UseQueryResult<DayDependencies>[]) {
  return { others, read: others.flatMap((one) => (one.data ? [one.data] : [])) };
}

/** The day and the zone of its times. */
function DayBar({ dagId, view, set }: { dagId: string; view: DayView; set: (some: DayView) => void }) {
  const found = useQuery(dayQuery(dagId, view.day, view.first ?? 0)).data;
  const own = zoneName(useZone());
  if (!found) return null;
  const move = (days: number) => set({ day: addDays(found.day, days) });
  return (
    <>
      <IconButton icon={EarlierIcon} label={t("Previous day")} onClick={() => move(-1)} />
      <input
        type="date"
        aria-label={t("Day")}
        value={found.day}
        min="1900-01-01"
        max="8999-12-31"
        onChange={(event) => {
          if (event.target.value) set({ day: event.target.value });
        }}
      />
      <IconButton icon={LaterIcon} label={t("Next day")} onClick={() => move(1)} />
      <Button onClick={() => set({ day: undefined })}>{t("Today")}</Button>
      {own !== found.timezone && (
        <Segments
          label={t("Zone of the times")}
          value={view.zone ?? "dag"}
          options={[
            { value: "dag", label: found.timezone, title: t("Zone of the DAG") },
            { value: "page", label: own, title: t("Zone of the page") },
          ]}
          choose={(zone) => set({ zone: zone === "page" ? "page" : undefined })}
        />
      )}
      <span className="soft">
        <Link to="/dags/$dagId" params={{ dagId: found.dag_id }} search={{}} className="name">
          {found.dag_id}
        </Link>
        , <Sentence {...found.schedule} />
        {own === found.timezone && <>; {t("times of {zone}", { zone: found.timezone })}</>}
      </span>
    </>
  );
}

function DayLanes({
  dagId,
  found,
  others,
  view,
  set,
}: {
  dagId: string;
  found: DayDependencies;
  others: DayDependencies[];
  view: DayView;
  set: (some: DayView) => void;
}) {
  const now = useNow();
  const planned = useMemo(() => buildDay(dagId, [found, ...others], undefined, now), [dagId, found, others, now]);
  const [from, to] = findWindow(
    planned.lanes.flatMap((lane) => lane.slots.map((slot) => slot.at)),
    Date.parse(found.start),
    Date.parse(found.end),
  );
  const runs = useQuery(
    slotRunsQuery(
      planned.lanes.map((lane) => lane.dagId),
      from,
      to,
    ),
  );
  const model = useMemo(
    () => buildDay(dagId, [found, ...others], runs.data, now),
    [dagId, found, others, runs.data, now],
  );
  const start = Date.parse(found.start);
  const end = Date.parse(found.end);
  const own = zoneName(useZone());
  const zone = view.zone === "page" ? own : found.timezone;
  return (
    <>
      {model.problems.map((one) => (
        <p key={one} className="notice" role="alert">
          {one}
        </p>
      ))}
      {runs.isError && (
        <Failure what={t("the states of the runs")} error={runs.error} retry={() => void runs.refetch()} />
      )}
      {model.lanes.length === 1 && <p>{t("This DAG waits for no other DAG, and none waits for it.")}</p>}
      <DayChart
        model={model}
        start={start}
        end={end}
        day={found.day}
        zone={zone}
        move={(days) => set({ day: addDays(found.day, days) })}
      />
      <DayTable model={model} start={start} end={end} zone={zone} />
    </>
  );
}

/** The window of the runs to ask for: the day and the slots that are waited for, as far as one request reaches. */
function findWindow(slots: number[], start: number, end: number): [string, string] {
  let first = start;
  let last = end;
  for (const at of slots) {
    if (at < first && last - at < WINDOW_MAX_MS) first = at;
    if (at >= last && at - first < WINDOW_MAX_MS) last = at + 1;
  }
  return [new Date(first).toISOString(), new Date(Math.min(last, first + WINDOW_MAX_MS + MARGIN_MS / 2)).toISOString()];
}

/** The days beside the one that is shown, so that a move of the day shows at once. */
function usePrefetch(dagId: string, day: string | undefined, first: number): void {
  const client = useQueryClient();
  useEffect(() => {
    if (day === undefined) return;
    for (const days of [-1, 1]) void client.prefetchQuery(dayQuery(dagId, addDays(day, days), first));
  }, [client, dagId, day, first]);
}

function listConnected(graph: DependencyGraph): string[] {
  return [
    ...new Set(graph.dependencies.flatMap((one) => [one.dag_id, one.upstream_dag_id]).filter(isDagId)),
  ].toSorted();
}

function listDownstream(graph: DependencyGraph, dagId: string): string[] {
  return [
    ...new Set(
      graph.dependencies
        .filter((one) => one.upstream_dag_id === dagId && one.dag_id !== dagId && isDagId(one.dag_id))
        .map((one) => one.dag_id),
    ),
  ];
}
