/** Runs × tasks. Only the rows and columns in view are in the document; nothing is asked of the server on a move, a hover or a fold. */

import { useOverscan } from "../../state/printing";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Grid as GridData } from "../../api/shapes";
import { PlainLink } from "../../components/PlainLink";
import { stateClass, stateName, stateShape, typeName } from "../../components/StateBadge";
import { usePreload } from "../../components/usePreload";
import { listHref } from "../../state/addresses";
import { t, tn } from "../../state/language";
import { formatDuration, formatTime, useZone } from "../../state/times";
import styles from "./grid.module.css";
import { describeCounts, type StateCounts } from "./cellStates";
import { findNextFailed, type GridRow, move, type Place, readRow, type RowChoice, selectRows } from "./gridRows";

const ROW_PX = 28;
const COLUMN_PX = 28;
const BAR_PX = 48;
const CHAR_PX = 7.3;
const INDENT_PX = 14;
/** Columns are drawn in pieces of so many, so that most moves to the side draw nothing anew. */
const PIECE = 16;
const TYPE_SIGNS: Record<string, string> = { manual: "▷", backfill: "↶", asset_triggered: "◈" };

export interface GridProps {
  grid: GridData;
  choice: RowChoice;
  toggleGroup: (group: string) => void;
  toggleFailed: () => void;
}

export function Grid({ grid, choice, toggleGroup, toggleFailed }: GridProps) {
  const { search, only, folded } = choice;
  const rows = useMemo(() => selectRows(grid, { search, only, folded }), [grid, search, only, folded]);
  const [place, setPlace] = useState<Place>({ row: 0, column: Math.max(0, grid.runs.length - 1) });
  const frame = useRef<HTMLDivElement>(null);
  const nameWidth = useNameWidth(rows, frame);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: useOverscan(4),
    scrollMargin: BAR_PX + 8,
  });
  const pieces = usePieces(frame, grid.runs.length, nameWidth);
  const navigate = useNavigate();
  const openRun = (column: number) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId",
      params: { dagId: grid.dag_id, runId: grid.runs[column]?.run_id ?? "" },
      search: {},
    });
  const open = (at: Place) => {
    const run = grid.runs[at.column];
    const row = rows[at.row];
    if (!run || !row) return;
    if (row.isFolded !== undefined) toggleGroup(row.id);
    else
      void navigate({
        to: "/dags/$dagId/runs/$runId/tasks/$taskId",
        params: { dagId: grid.dag_id, runId: run.run_id, taskId: row.id },
        search: {},
      });
  };
  const show = (at: Place) => {
    setPlace(at);
    lines.scrollToIndex(at.row);
    scrollToColumn(frame.current, at.column, nameWidth);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") toggleFailed();
    else if (event.key === "Enter") open(place);
    else {
      const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 300) / ROW_PX) - 3);
      const next =
        event.key === "n"
          ? findNextFailed(grid, rows, place)
          : move(place, event.key, rows.length, grid.runs.length, page);
      if (!next) return;
      show(next);
    }
    event.preventDefault();
  };
  const newest = grid.runs[grid.runs.length - 1]?.run_id;
  const last = useRef<{ count: number; newest: string | undefined }>({ count: 0, newest: undefined });
  useLayoutEffect(() => {
    const added = last.current.newest === newest ? grid.runs.length - last.current.count : 0;
    last.current = { count: grid.runs.length, newest };
    if (added <= 0) scrollToColumn(frame.current, grid.runs.length - 1, nameWidth);
    else if (frame.current) {
      // Older runs have come to the left: what is in view, and the chosen cell, stay where they are.
      frame.current.scrollLeft += added * COLUMN_PX;
      setPlace((at) => ({ ...at, column: at.column + added }));
    }
  }, [grid.runs.length, newest, nameWidth]);
  const width = nameWidth + grid.runs.length * COLUMN_PX + 8;
  const described = rows[place.row];
  const shown = useMemo(() => new Set(rows.flatMap((row) => row.tasks)).size, [rows]);
  const items = lines.getVirtualItems();
  // The element of a line that has left the view shows one that comes into view: making cells anew is what costs most while one scrolls.
  const [pool, setPool] = useState(1);
  if (items.length > pool) setPool(items.length);
  const findPlace = (target: EventTarget): Place | undefined => {
    const cell = (target as Element).closest<HTMLElement>("[role=gridcell]");
    const line = cell?.closest<HTMLElement>("[role=row]");
    return cell && line ? { row: Number(line.ariaRowIndex) - 1, column: Number(cell.ariaColIndex) - 1 } : undefined;
  };
  const router = useRouter();
  const onClick = (event: MouseEvent) => {
    const at = findPlace(event.target);
    if (!at || (event.target as Element).classList.contains("empty")) return;
    const run = grid.runs[at.column];
    const row = rows[at.row];
    // As for a link: with a key or the middle button in another tab.
    if (run && row?.isFolded === undefined && row && (event.ctrlKey || event.metaKey || event.button === 1)) {
      const { href } = router.buildLocation({
        to: "/dags/$dagId/runs/$runId/tasks/$taskId",
        params: { dagId: grid.dag_id, runId: run.run_id, taskId: row.id },
        search: {},
      });
      window.open(href, "_blank", "noopener");
    } else if (event.button === 0) open(at);
  };
  const preload = usePreload();
  const onPoint = (event: MouseEvent) => {
    const cell = event.target as HTMLElement;
    const at = findPlace(cell);
    // While one scrolls, cells pass below a pointer that rests.
    if (!at || (event.type === "mouseover" && event.movementX === 0 && event.movementY === 0))
      return preload(undefined);
    cell.title = cell.ariaLabel ?? "";
    const run = grid.runs[at.column];
    const row = rows[at.row];
    if (!run || !row || row.isFolded !== undefined) return preload(undefined);
    preload(
      () =>
        router.preloadRoute({
          to: "/dags/$dagId/runs/$runId/tasks/$taskId",
          params: { dagId: grid.dag_id, runId: run.run_id, taskId: row.id },
          search: {},
        }),
      event.type === "pointerdown",
    );
  };
  return (
    <>
      <p className="soft">
        {tn("{count} task", "{count} tasks", shown)} {t("of {count}", { count: grid.task_ids.length })}.{" "}
        {t(
          "Arrows, Home, End and Page keys move, Enter opens, f shows only what failed, n goes to the next failed task.",
        )}
      </p>
      <div
        data-window=""
        className={styles.frame}
        ref={frame}
        role="grid"
        aria-label={t("Runs and tasks")}
        aria-rowcount={rows.length}
        aria-colcount={grid.runs.length}
        tabIndex={0}
        onKeyDown={press}
        aria-activedescendant={described ? `cell-${place.row}-${place.column}` : undefined}
        style={{ "--grid-name": `${nameWidth}px` } as React.CSSProperties}
      >
        <RunBars grid={grid} from={pieces.from} to={pieces.to} width={width} open={openRun} />
        <div
          className={styles.body}
          style={{ height: rows.length * ROW_PX, width }}
          onClick={onClick}
          onAuxClick={onClick}
          onMouseOver={onPoint}
          onPointerDown={onPoint}
        >
          {items.map((line) => (
            <div
              key={line.index % pool}
              className={styles.line}
              role="row"
              aria-rowindex={line.index + 1}
              style={{ transform: `translateY(${line.start - BAR_PX - 8}px)`, width }}
            >
              <GridLine
                grid={grid}
                row={rows[line.index] as GridRow}
                number={line.index}
                from={pieces.from}
                to={pieces.to}
                chosen={place.row === line.index ? place.column : -1}
                openGroup={() => open({ row: line.index, column: grid.runs.length - 1 })}
              />
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

/** As wide as the longest name, and no wider than leaves room for the cells. */
function useNameWidth(rows: GridRow[], frame: React.RefObject<HTMLDivElement | null>): number {
  const [most, setMost] = useState(320);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() =>
      setMost(Math.max(120, Math.min(420, Math.floor(element.clientWidth * 0.4)))),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  const wanted = useMemo(
    () => rows.reduce((widest, row) => Math.max(widest, row.name.length * CHAR_PX + row.depth * INDENT_PX), 0) + 40,
    [rows],
  );
  return Math.round(Math.min(most, Math.max(120, wanted)));
}

/** The columns in view, in whole pieces. */
function usePieces(
  frame: React.RefObject<HTMLDivElement | null>,
  count: number,
  nameWidth: number,
): { from: number; to: number } {
  const [range, setRange] = useState({ from: 0, to: Math.min(count, 4 * PIECE) });
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const look = () => {
      const first = element.scrollLeft / COLUMN_PX;
      const last = (element.scrollLeft + element.clientWidth - nameWidth) / COLUMN_PX;
      const from = Math.max(0, Math.floor(first / PIECE) * PIECE);
      const to = Math.min(count, Math.ceil((last + 1) / PIECE) * PIECE);
      setRange((known) => (known.from === from && known.to === to ? known : { from, to }));
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [frame, count, nameWidth]);
  return range;
}

function scrollToColumn(element: HTMLElement | null, column: number, nameWidth: number): void {
  if (!element) return;
  const left = column * COLUMN_PX;
  const room = element.clientWidth - nameWidth - COLUMN_PX;
  if (left < element.scrollLeft) element.scrollLeft = left;
  else if (left > element.scrollLeft + room) element.scrollLeft = left - room + 8;
}

interface RunBarsProps {
  grid: GridData;
  from: number;
  to: number;
  width: number;
  open: (column: number) => void;
}

/** A bar for each run: its height is the duration. */
const RunBars = memo(function RunBars({ grid, from, to, width, open }: RunBarsProps) {
  const zone = useZone();
  const lengths = useMemo(
    () =>
      grid.runs.map((run) =>
        run.start_date && run.end_date ? Date.parse(run.end_date) - Date.parse(run.start_date) : 0,
      ),
    [grid.runs],
  );
  const longest = Math.max(1, ...lengths);
  return (
    <div className={styles.bars} role="row" style={{ width }}>
      <span className={styles.task} role="columnheader">
        <span className="soft">{longest > 1 ? formatDuration(longest / 1000) : t("Task")}</span>
      </span>
      {grid.runs.slice(from, to).map((run, at) => {
        const column = from + at;
        const length = lengths[column] ?? 0;
        const words = `${run.run_id}, ${typeName(run.run_type)}, ${stateName(run.state)}, ${formatTime(run.run_after, zone)}${length ? `, ${formatDuration(length / 1000)}` : ""}`;
        return (
          <span
            key={run.run_id}
            className={styles.barPlace}
            role="columnheader"
            style={{ left: `calc(var(--grid-name) + ${column * COLUMN_PX}px)` }}
          >
            <button
              type="button"
              tabIndex={-1}
              className={`${styles.bar} solid ${stateClass(run.state)}`}
              title={words}
              aria-label={words}
              style={{ height: 14 + (BAR_PX - 14) * (length / longest) }}
              onClick={() => open(column)}
            >
              {TYPE_SIGNS[run.run_type] ?? ""}
            </button>
          </span>
        );
      })}
    </div>
  );
});

interface GridLineProps {
  grid: GridData;
  row: GridRow;
  number: number;
  from: number;
  to: number;
  chosen: number;
  openGroup: () => void;
}

const GridLine = memo(
  function GridLine({ grid, row, number, from, to, chosen, openGroup }: GridLineProps) {
    return (
      <>
        <span
          className={styles.task}
          role="rowheader"
          title={row.id}
          style={{ paddingLeft: 8 + row.depth * INDENT_PX }}
          onClick={() => row.isFolded !== undefined && openGroup()}
        >
          <span className={`${styles.name} ${row.isFolded === undefined ? "" : styles.group}`}>
            {row.isFolded === undefined ? (
              <PlainLink tabIndex={-1} href={listHref("/tasks", { dag_id: grid.dag_id, task: row.id })}>
                {row.name}
              </PlainLink>
            ) : (
              <>
                {row.isFolded ? "▸ " : "▾ "}
                {row.name}
              </>
            )}
          </span>
        </span>
        <span
          className={styles.cells}
          role="presentation"
          style={{ left: `calc(var(--grid-name) + ${from * COLUMN_PX}px)` }}
        >
          {grid.runs.slice(from, to).map((run, at) => {
            const column = from + at;
            const look = lookOf(readRow(grid, row, column), row.isFolded === false);
            return (
              <span
                key={column}
                id={chosen === column ? `cell-${number}-${column}` : undefined}
                role="gridcell"
                aria-selected={chosen === column}
                aria-colindex={column + 1}
                aria-label={`${row.id}, ${run.run_id}: ${look.words}`}
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
  },
  (a, b) =>
    a.grid === b.grid &&
    a.row === b.row &&
    a.number === b.number &&
    a.from === b.from &&
    a.to === b.to &&
    a.chosen === b.chosen,
);

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
    sign: first && (total > 1 ? (total > 999 ? "…" : total) : stateShape(first[0])),
    words: counts.length > 0 ? describeCounts(counts) : t("no instance"),
  };
}
