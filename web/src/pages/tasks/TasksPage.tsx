/** The task instances of all runs. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { TASK_STATES, taskCountQuery, taskListQuery, type TaskSearch } from "../../api/overviews";
import type { TaskInstance, TaskInstanceList } from "../../api/shapes";
import { HowLong } from "../../components/Ago";
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
import { useCut } from "../../components/LongText";
import { WrappedName } from "../../components/Names";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { WhyButton } from "../../components/WhyButton";
import { t } from "../../state/language";
import { useKeptSearch } from "../../state/lastSearch";
import { findDefault } from "../../state/savedViews";
import { formatDuration, useZone } from "../../state/times";
import { TASK_SORTS, taskFields, taskTexts } from "./taskFilters";
import "../../styles/lists.css";

const PATH = "/tasks";
const NAME_MAX = 300;
const route = getRouteApi(PATH);
/** The filters that a narrow window folds. */
const MORE = ["run", "operator", "pool", "queue", "map", "by", "from", "to", "longer", "shorter", "sort"] as const;
type Set = (some: Record<string, unknown>, replace?: boolean) => void;

export function TasksPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  useKeptSearch(PATH, search);
  const set: Set = (some, replace = false) =>
    void navigate({
      to: PATH,
      search: { ...search, cursor: undefined, view: undefined, ...some } as TaskSearch,
      replace,
    });
  const tasks = useQuery(taskListQuery(search));
  return (
    <>
      <h1>{t("Task instances")}</h1>
      <Filters
        search={search}
        set={set}
        found={tasks.data}
        clear={() => void navigate({ to: PATH, search: findDefault(PATH) ? { view: "all" } : {} })}
      />
      <Answer query={tasks} what={t("the task instances")}>
        {(found) => (
          <div aria-busy={tasks.isPlaceholderData}>
            {found.task_instances.length > 0 ? (
              <TaskTable tasks={found.task_instances} />
            ) : (
              <p>{t("No task instance fits these filters.")}</p>
            )}
            <CursorPages found={found} isFirst={!search.cursor} go={(cursor) => set({ cursor })} />
          </div>
        )}
      </Answer>
    </>
  );
}

interface FiltersProps {
  search: TaskSearch;
  set: Set;
  clear: () => void;
  /** The list; undefined: it is not shown yet. */
  found: TaskInstanceList | undefined;
}

function Filters({ search, set, clear, found }: FiltersProps) {
  const text = (field: keyof TaskSearch, label: string, placeholder?: string) => (
    <Negatable
      key={field}
      label={label}
      value={search[field] as string | undefined}
      placeholder={placeholder}
      change={(value) => set({ [field]: value }, true)}
    />
  );
  const chips = [
    ...listTextChips(search as never, [{ field: "dag_id", label: t("DAG") }]),
    ...listNegatableChips(search as never, taskTexts()),
    ...listChips(search as never, taskFields(), []),
    ...listPeriodChips(search, useZone()),
  ];
  const all = useQuery({ ...taskCountQuery(), enabled: found !== undefined && chips.length > 0 }).data;
  return (
    <>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        {!search.dag_id && text("dag", t("DAG"), t("part of a DAG id"))}
        {text("task", t("Task"), t("a task id"))}
        <AddFilter
          label={t("State")}
          options={TASK_STATES.map((value) => ({ value, text: taskFields()[0]?.name?.(value) }))}
          add={(value) => set(addValue(search as never, "state", value))}
        />
        <MoreFilters holds={MORE.filter((field) => search[field] !== undefined).length}>
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
          <label>
            {t("Sort by")}{" "}
            <select value={search.sort ?? "-run_after"} onChange={(event) => set({ sort: event.target.value })}>
              {TASK_SORTS.map(([value, label]) => (
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
        clear={clear}
        turn={(chip) => set(turnChip(search as never, chip))}
        remove={(chip) => set(removeChip(search as never, chip))}
        lead={
          found && all
            ? t("{shown} of {all} task instances fit these filters:", {
                shown: countEntries(found),
                all: countEntries(all),
              })
            : t("Filters:")
        }
      />
    </>
  );
}

function TaskTable({ tasks }: { tasks: TaskInstance[] }) {
  return (
    <div className="scroll">
      <table className="card-table">
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
                  <WrappedName name={one.dag_id} />
                </Link>
              </td>
              <td>
                <Link
                  to="/dags/$dagId/runs/$runId"
                  params={{ dagId: one.dag_id, runId: one.dag_run_id }}
                  className="name"
                  preload={false}
                >
                  <WrappedName name={one.dag_run_id} />
                </Link>
              </td>
              <td>
                <TaskName one={one} />
              </td>
              <td className="state-cell">
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
        <WrappedName name={shown} />
      </Link>
      {button}
    </>
  );
}
