/** What stands above the columns: the days, and a bar for each run, whose height is its duration and whose icon is its type. */

import { memo, useMemo } from "react";
import type { Grid as GridData, NextRuns } from "../../api/shapes";
import { stateClass, stateName, typeName } from "../../components/StateBadge";
import { useNow } from "../../components/Ago";
import { t } from "../../state/language";
import { formatDay, formatDayShort, formatDuration, useZone } from "../../state/times";
import { AssetIcon, ClockIcon, HistoryIcon, type Icon, RunIcon } from "../../ui/icons";
import { findCap, listLengths, listVersionChanges } from "./gridBars";
import type { DayLabel } from "./gridDays";
import { BARS_PX, COLUMN_PX, FIRST_COLUMN, HEAD_PX } from "./gridSizes";
import styles from "./grid.module.css";

const SHORTEST_PX = 5;
/** A bar of this height has room for an icon. */
const ICON_PX = 15;
const TYPE_ICONS: Record<string, Icon> = { manual: RunIcon, backfill: HistoryIcon, asset_triggered: AssetIcon };

export type PlannedRun = NextRuns["next_runs"][number];

interface GridHeadProps {
  grid: GridData;
  planned: readonly PlannedRun[];
  labels: readonly DayLabel[];
  names: readonly string[];
  from: number;
  to: number;
  width: number;
  /** The column of the run whose sheet is open. */
  chosen: number;
}

export const GridHead = memo(function GridHead({
  grid,
  planned,
  labels,
  names,
  from,
  to,
  width,
  chosen,
}: GridHeadProps) {
  const zone = useZone();
  const now = useNow();
  const lengths = useMemo(() => listLengths(grid.runs, now), [grid.runs, now]);
  const cap = useMemo(() => findCap(lengths), [lengths]);
  const changes = useMemo(() => new Set(listVersionChanges(grid.runs)), [grid.runs]);
  return (
    <div className={styles.bars} role="row" aria-rowindex={1} style={{ width, height: HEAD_PX }}>
      <span className={styles.corner} role="columnheader" aria-colindex={1}>
        <span>{t("Task")}</span>
        {cap > 0 && (
          <span className={styles.scale} title={t("a bar of full height")}>
            {formatDuration(cap / 1000)}
          </span>
        )}
      </span>
      {labels.map((label) => (
        <span
          key={label.from}
          className={styles.day}
          aria-hidden="true"
          style={{
            left: `calc(var(--grid-name) + ${label.from * COLUMN_PX}px)`,
            width: Math.max(label.count, 2) * COLUMN_PX,
          }}
        >
          <span>{formatDayShort(label.at, zone)}</span>
        </span>
      ))}
      {grid.runs.slice(from, to).map((run, at) => {
        const column = from + at;
        const length = lengths[column] ?? 0;
        const isCut = length > cap;
        const height = SHORTEST_PX + (BARS_PX - 4 - SHORTEST_PX) * (cap > 0 ? Math.min(1, length / cap) : 0);
        const Sign = TYPE_ICONS[run.run_type];
        const isInside = height >= ICON_PX;
        const type = names[column] === run.run_id ? typeName(run.run_type) : undefined;
        const words = [names[column], type, stateName(run.state), formatDuration(length / 1000)];
        return (
          <span
            key={run.run_id}
            className={styles.barPlace}
            role="columnheader"
            aria-colindex={column + FIRST_COLUMN}
            style={{ left: `calc(var(--grid-name) + ${column * COLUMN_PX}px)` }}
          >
            {changes.has(column) && <span className={styles.version}>v{run.version}</span>}
            <button
              type="button"
              tabIndex={-1}
              data-column={column}
              className={chosen === column ? `${styles.barButton} ${styles.openRun}` : styles.barButton}
              aria-label={words.filter(Boolean).join(", ")}
            >
              {Sign && !isInside && <Sign size={11} strokeWidth={2.25} aria-hidden="true" />}
              <i
                className={`${styles.bar} solid ${stateClass(run.state)} ${isCut ? styles.cut : ""}`}
                style={{ height }}
              >
                {Sign && isInside && <Sign size={11} strokeWidth={2.25} aria-hidden="true" />}
              </i>
            </button>
          </span>
        );
      })}
      {planned.map((run, at) => (
        <span
          key={run.run_id}
          className={styles.barPlace}
          role="columnheader"
          aria-colindex={grid.runs.length + at + FIRST_COLUMN}
          data-planned={at}
          style={{ left: `calc(var(--grid-name) + ${(grid.runs.length + at) * COLUMN_PX}px)` }}
        >
          <span className="unseen">{t("planned: {run}", { run: formatDay(run.run_after, zone, true) })}</span>
          <i className={styles.planned}>
            <ClockIcon size={11} strokeWidth={2} aria-hidden="true" />
          </i>
        </span>
      ))}
    </div>
  );
});
