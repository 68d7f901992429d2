/** The task instances of all runs. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { TASK_STATES, taskCountQuery, taskListQuery, type TaskSearch } from "../../api/overviews";
import type { TaskInstance } from "../../api/shapes";
import { HowLong } from "../../components/Ago";
import { addValue, listChips, listNegatableChips, listTextChips } from "../../components/filters/chipSearch";
import { countEntries, CursorPages } from "../../components/filters/CursorPages";
import { AddFilter } from "../../components/filters/FilterChips";
import { ListFrame, SortField, useFilters } from "../../components/filters/ListFrame";
import { StateFacets } from "../../components/filters/StateFacets";
import { listPeriodChips, PeriodFields } from "../../components/filters/ListFilters";
import { Negatable } from "../../components/filters/Negatable";
import { useCut } from "../../components/LongText";
import { StateBadge, stateName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { WhyButton } from "../../components/WhyButton";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { FilterIcon } from "../../ui/icons";
import { nameRun } from "../../state/runNames";
import { formatDuration, useZone } from "../../state/times";
import { TASK_SORTS, taskFields, taskTexts } from "./taskFilters";
import styles from "../../components/cards.module.css";

const PATH = "/tasks";
const NAME_MAX = 300;
const route = getRouteApi(PATH);
/** The states that people look for; the others are in the box. */
const FACETS = ["failed", "running", "queued", "up_for_retry", "deferred", "success"];
/** Filters on one text, which can be negated. */
type TextField = "dag" | "run" | "task" | "operator" | "pool" | "queue";

export function TasksPage() {
  const search = route.useSearch();
  const set = useFilters(PATH, search);
  const tasks = useQuery(taskListQuery(search));
  const chips = listHolding(search, useZone());
  const found = tasks.data;
  const all = useQuery({ ...taskCountQuery(), enabled: found !== undefined && chips.length > 0 }).data;
  const text = (field: TextField, label: string, placeholder: string, isBare = false) => (
    <Negatable
      label={label}
      isBare={isBare}
      value={search[field]}
      placeholder={placeholder}
      change={(value) => set({ [field]: value }, true)}
    />
  );
  return (
    <ListFrame
      title={t("Task instances")}
      path={PATH}
      search={search}
      set={set}
      chips={chips}
      count={
        found &&
        !found.searched_until &&
        (chips.length === 0
          ? countEntries(found)
          : all && t("{shown} of {all}", { shown: countEntries(found), all: countEntries(all) }))
      }
      fields={
        <>
          {!search.dag_id && text("dag", t("DAG"), t("part of a DAG id"), true)}
          {text("task", t("Task"), t("a task id"), true)}
        </>
      }
      facets={<StateFacets search={search} set={set} states={FACETS} nameOf={stateName} />}
      filters={
        <>
          <AddFilter
            label={t("State")}
            options={TASK_STATES.map((value) => ({ value, text: taskFields()[0]?.name?.(value) }))}
            add={(value) => set(addValue(search, "state", value))}
          />
          {text("run", t("Run"), t("part of a run id"))}
          {text("operator", t("Operator"), t("the name of a class"))}
          {text("pool", t("Pool"), t("the name of a pool"))}
          {text("queue", t("Queue"), t("the name of a queue"))}
          <Negatable
            label={t("Map index")}
            type="number"
            value={search.map === undefined ? undefined : String(search.map)}
            change={(value) => set({ map: value }, true)}
          />
          <PeriodFields search={search} set={set} />
        </>
      }
      display={<SortField sorts={TASK_SORTS} sort={search.sort} set={set} />}
      query={tasks}
      what={t("the task instances")}
      list={(shown) => (
        <>
          {shown.task_instances.length > 0 ? (
            <TaskTable tasks={shown.task_instances} />
          ) : (
            <EmptyState
              icon={FilterIcon}
              title={shown.searched_until ? t("Nothing fits so far.") : t("No task instance fits these filters.")}
            />
          )}
          <CursorPages found={shown} isFirst={!search.cursor} go={(cursor) => set({ cursor })} />
        </>
      )}
    />
  );
}

function listHolding(search: TaskSearch, zone: string) {
  return [
    ...listTextChips(search, [{ field: "dag_id", label: t("DAG") }]),
    ...listNegatableChips(search, taskTexts()),
    ...listChips(search, taskFields(), []),
    ...listPeriodChips(search, zone),
  ];
}

function TaskTable({ tasks }: { tasks: TaskInstance[] }) {
  const zone = useZone();
  return (
    <div className="scroll">
      <table className={`${styles.cards} ${styles.compact}`}>
        <thead>
          <tr>
            <th>{t("DAG")}</th>
            <th>{t("Run")}</th>
            <th>{t("Task")}</th>
            <th>{t("State")}</th>
            <th>{t("Operator")}</th>
            <th>{t("Pool")}</th>
            <th>{t("Queue")}</th>
            <th>{t("Try")}</th>
            <th>{t("Started")}</th>
            <th>{t("Duration")}</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((one) => (
            <tr key={`${one.dag_id} ${one.dag_run_id} ${one.task_id} ${one.map_index}`}>
              <td>
                <Link to="/dags/$dagId" params={{ dagId: one.dag_id }} search={{}} className="name" preload={false}>
                  {one.dag_id}
                </Link>
              </td>
              <td>
                <Link
                  to="/dags/$dagId/runs/$runId"
                  params={{ dagId: one.dag_id, runId: one.dag_run_id }}
                  className="name"
                  title={one.dag_run_id}
                  preload={false}
                >
                  {nameRun(one.dag_run_id, zone)}
                </Link>
              </td>
              <td>
                <TaskName one={one} />
              </td>
              <td className={styles.state}>
                <StateBadge state={one.state} />{" "}
                <WhyButton
                  dagId={one.dag_id}
                  runId={one.dag_run_id}
                  taskId={one.task_id}
                  mapIndex={one.map_index}
                  state={one.state}
                />
              </td>
              <td data-label={t("Operator")}>{one.operator}</td>
              <td data-label={t("Pool")}>{one.pool}</td>
              <td data-label={t("Queue")}>{one.queue}</td>
              <td data-label={t("Try")}>{one.try_number}</td>
              <td data-label={t("Started")}>{one.start_date && <Time at={one.start_date} />}</td>
              <td data-label={t("Duration")}>
                {one.state === "running" && one.start_date ? (
                  <span className="soft">
                    <HowLong since={one.start_date} />
                  </span>
                ) : (
                  formatDuration(one.duration)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TaskName({ one }: { one: TaskInstance }) {
  const index = one.map_index < 0 ? "" : ` [${one.rendered_map_index ?? one.map_index}]`;
  const { shown, button } = useCut(`${one.task_display_name}${index}`, NAME_MAX);
  return (
    <>
      <Link
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId: one.dag_id, runId: one.dag_run_id, taskId: one.task_id }}
        className="name"
        preload={false}
        search={{ map: one.map_index < 0 ? undefined : one.map_index }}
      >
        {shown}
      </Link>
      {button}
    </>
  );
}
