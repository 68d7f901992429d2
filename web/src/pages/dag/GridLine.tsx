/** A line of the grid: the name of a task or a group, and its cells of the columns in view. */

import { memo } from "react";
import type { Grid as GridData } from "../../api/shapes";
import { PlainLink } from "../../components/PlainLink";
import { stateClass, stateShape } from "../../components/StateBadge";
import { listHref } from "../../state/addresses";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { ExpandIcon, FoldedIcon } from "../../ui/icons";
import { describeCounts, type StateCounts } from "./cellStates";
import { COLUMN_PX, FIRST_COLUMN } from "./gridSizes";
import { type GridRow, readRow } from "./gridRows";
import styles from "./grid.module.css";

const INDENT_PX = 14;

interface GridLineProps {
  grid: GridData;
  row: GridRow;
  isMapped: boolean;
  number: number;
  from: number;
  to: number;
  /** The names of the runs, by column. */
  names: readonly string[];
  chosen: number;
}

export const GridLine = memo(function GridLine({
  grid,
  row,
  isMapped,
  number,
  from,
  to,
  names,
  chosen,
}: GridLineProps) {
  const Fold = row.isFolded ? FoldedIcon : ExpandIcon;
  return (
    <>
      <span
        className={styles.task}
        role="rowheader"
        aria-colindex={1}
        data-group={row.isFolded === undefined ? undefined : row.id}
        title={row.id}
        style={{ paddingLeft: 8 + row.depth * INDENT_PX }}
      >
        {row.isFolded === undefined ? (
          <span className={styles.name}>
            <PlainLink tabIndex={-1} href={listHref("/tasks", { dag_id: grid.dag_id, task: row.id })}>
              {row.name}
            </PlainLink>
          </span>
        ) : (
          <>
            <Fold size={14} aria-hidden="true" className={styles.fold} />
            <span className={`${styles.name} ${styles.group}`}>{row.name}</span>
            {row.isFolded && <span className={styles.tag}>{formatCount(row.tasks.length)}</span>}
          </>
        )}
        {isMapped && (
          <span className={styles.tag} title={t("mapped: a cell says how many instances")}>
            [ ]
          </span>
        )}
      </span>
      <span
        className={styles.cells}
        role="presentation"
        style={{ left: `calc(var(--grid-name) + ${from * COLUMN_PX}px)` }}
      >
        {grid.runs.slice(from, to).map((_run, at) => {
          const column = from + at;
          const look = lookOf(readRow(grid, row, column), row.isFolded === false);
          return (
            <span
              key={column}
              id={chosen === column ? `cell-${number}-${column}` : undefined}
              role="gridcell"
              aria-selected={chosen === column}
              aria-colindex={column + FIRST_COLUMN}
              aria-label={`${row.id}, ${names[column]}: ${look.words}`}
              className={chosen === column ? `${look.className} ${styles.chosen}` : look.className}
              data-sign={row.isFolded === false ? look.sign : undefined}
            >
              {row.isFolded === false ? undefined : look.sign}
            </span>
          );
        })}
      </span>
    </>
  );
});

interface CellLook {
  className: string;
  sign: string | number | undefined;
  words: string;
}

function lookOf(counts: StateCounts, isOfOpen: boolean): CellLook {
  const first = counts[0];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return {
    className: `${styles.cell} ${first ? `solid ${stateClass(first[0])}` : styles.empty}${isOfOpen ? ` ${styles.ofOpen}` : ""}`,
    // A success says nothing: what is not one stands out. Of several, as many as have the state of the colour.
    sign:
      first &&
      (total > 1 ? (first[1] > 999 ? "…" : first[1]) : first[0] === "success" ? undefined : stateShape(first[0])),
    words: counts.length > 0 ? describeCounts(counts) : t("no instance"),
  };
}
