/** The controls of the grid in one line: a search, what has failed or not ended, how many runs; what is rare behind "Filters", with a chip for each that holds. */

import { useMemo } from "react";
import type { Grid as GridData } from "../../api/shapes";
import { FilterChips, type Chip } from "../../components/filters/FilterChips";
import { DayField } from "../../components/filters/ZonedFields";
import { stateName, typeName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { formatDay, useZone } from "../../state/times";
import { IconButton } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { EarlierIcon, FilterIcon, FoldAllIcon, HelpIcon, LaterIcon, OpenAllIcon } from "../../ui/icons";
import { Facet } from "../../ui/Pill";
import { Popover } from "../../ui/Popover";
import { Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { countTasks } from "./gridRows";
import { type DagView, RUNS_SHOWN } from "./gridView";
import styles from "./gridToolbar.module.css";

const COUNTS = [10, 25, 50, 100, 365];
const RUN_STATES = ["queued", "running", "success", "failed"];
const RUN_TYPES = ["scheduled", "manual", "backfill", "asset_triggered"];

interface GridToolbarProps {
  grid: GridData | undefined;
  view: DagView;
  set: (some: DagView) => void;
  /** How many tasks the rows stand for. */
  shown: number | undefined;
  fold: (isFolded: boolean) => void;
}

export function GridToolbar({ grid, view, set, shown, fold }: GridToolbarProps) {
  const counts = useMemo(() => grid && countTasks(grid), [grid]);
  const toggle = (state: "failed" | "unfinished") => set({ state: view.state === state ? undefined : state });
  const total = grid?.task_ids.length;
  return (
    <>
      <Toolbar label={t("Controls of the grid")}>
        <SearchBox
          label={t("Task")}
          placeholder={t("Search for a task")}
          value={view.task}
          onChange={(task) => set({ task })}
        />
        <Facet
          label={t("failed")}
          state="failed"
          count={counts?.failed}
          isChosen={view.state === "failed"}
          toggle={() => toggle("failed")}
        />
        <Facet
          label={t("not ended")}
          state="running"
          count={counts?.unfinished}
          isChosen={view.state === "unfinished"}
          toggle={() => toggle("unfinished")}
        />
        <RunFilters view={view} set={set} />
        {grid && grid.groups.length > 0 && (
          <span className={styles.pair}>
            <IconButton icon={FoldAllIcon} label={t("Fold all groups")} onClick={() => fold(true)} />
            <IconButton icon={OpenAllIcon} label={t("Open all groups")} onClick={() => fold(false)} />
          </span>
        )}
        <span className={styles.room} />
        {shown !== undefined && total !== undefined && shown < total && (
          <span className="soft" role="status">
            {t("{shown} of {total} tasks", { shown, total })}
          </span>
        )}
        {grid && (grid.has_older || view.before !== undefined) && (
          <span className={styles.pair}>
            <IconButton
              icon={EarlierIcon}
              label={t("Older runs")}
              disabled={!grid.has_older}
              why={t("There are no older runs.")}
              onClick={() => set({ before: grid.runs[0]?.run_id })}
            />
            <IconButton
              icon={LaterIcon}
              label={t("Newest runs")}
              disabled={view.before === undefined}
              why={t("The newest runs are shown.")}
              onClick={() => set({ before: undefined })}
            />
          </span>
        )}
        <RunCount view={view} set={set} />
        <KeyHelp />
      </Toolbar>
      <Chips view={view} set={set} />
    </>
  );
}

function RunCount({ view, set }: { view: DagView; set: (some: DagView) => void }) {
  const count = view.runs ?? RUNS_SHOWN;
  return (
    <SelectField
      isInline
      label={t("Runs")}
      value={String(count)}
      onChange={(value) => set({ runs: Number(value) })}
      options={[...new Set([...COUNTS, count])]
        .toSorted((a, b) => a - b)
        .map((one) => ({ value: String(one), label: String(one) }))}
    />
  );
}

function RunFilters({ view, set }: { view: DagView; set: (some: DagView) => void }) {
  const narrow = (some: DagView) => set({ ...some, before: undefined });
  const options = (values: readonly string[], nameOf: (value: string) => string) => [
    { value: "", label: t("all") },
    ...values.map((value) => ({ value, label: nameOf(value) })),
  ];
  return (
    <Popover label={t("Filters")} icon={FilterIcon}>
      <SelectField
        label={t("Runs shown")}
        value={view.run_state ?? ""}
        onChange={(value) => narrow({ run_state: value || undefined })}
        options={options(RUN_STATES, stateName)}
      />
      <SelectField
        label={t("Type")}
        value={view.type ?? ""}
        onChange={(value) => narrow({ type: value || undefined })}
        options={options(RUN_TYPES, typeName)}
      />
      <div className={styles.days}>
        <DayField label={t("due from")} value={view.from} onChange={(from) => narrow({ from })} />
        <DayField label={t("due to")} isLast value={view.to} onChange={(to) => narrow({ to })} />
      </div>
    </Popover>
  );
}

function Chips({ view, set }: { view: DagView; set: (some: DagView) => void }) {
  const zone = useZone();
  const chips: Chip[] = [];
  const add = (field: string, label: string, value: string) =>
    chips.push({ field, label, value, isNot: false, isFixed: true });
  if (view.run_state) add("run_state", t("Runs shown"), stateName(view.run_state));
  if (view.type) add("type", t("Type"), typeName(view.type));
  if (view.from) add("from", t("due from"), formatDay(view.from, zone));
  if (view.to) add("to", t("due to"), formatDay(view.to, zone));
  return (
    <FilterChips
      chips={chips}
      turn={() => undefined}
      remove={(chip) => set({ [chip.field]: undefined, before: undefined })}
      clear={() => set({ run_state: undefined, type: undefined, from: undefined, to: undefined, before: undefined })}
    />
  );
}

function KeyHelp() {
  const keys = [
    ["← ↑ → ↓", t("move, also with Home, End and the Page keys")],
    ["Enter", t("opens the sheet of the cell, or folds a group")],
    ["Shift Enter", t("opens the whole page; so does a double click")],
    ["f", t("shows only what failed")],
    ["n", t("goes to the next failed task")],
    ["Esc", t("closes the sheet")],
  ];
  return (
    <Popover
      label={<HelpIcon size={16} aria-hidden="true" />}
      name={t("Keys of the grid")}
      look="quiet"
      isBare
      placement="bottom-end"
    >
      <dl className={styles.keys}>
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}
