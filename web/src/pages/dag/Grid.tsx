/** Runs × tasks. Only the rows and columns in view are in the document; nothing is asked of the server on a move or a fold. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Grid as GridData } from "../../api/shapes";
import { useNarrow } from "../../components/useNarrow";
import { runHref, taskHref } from "../../state/addresses";
import { t } from "../../state/language";
import { useOverscan } from "../../state/printing";
import { nameRun } from "../../state/runNames";
import { useZone } from "../../state/times";
import { type CardHandle, GridCard } from "./GridCard";
import { GridHead, type PlannedRun } from "./GridHead";
import { GridLine } from "./GridLine";
import { listVersionChanges } from "./gridBars";
import { listDayLabels, listDayStarts, listLines } from "./gridDays";
import { findNextFailed, type GridRow, move, type Place } from "./gridRows";
import { COLUMN_PX, FIRST_COLUMN, FIRST_ROW, HEAD_PX, ROW_PX } from "./gridSizes";
import styles from "./grid.module.css";

const CHAR_PX = 7.3;
const INDENT_PX = 14;
/** Columns are drawn in pieces of so many, so that most moves to the side draw nothing anew. */
const PIECE = 16;
/** While the keys move, the sheet follows the cell on which they rest. */
const FOLLOW_MS = 200;

/** What the sheet beside the grid shows: a run, or a task in it. */
export interface GridSelection {
  runId: string;
  taskId: string | undefined;
}

export interface GridProps {
  grid: GridData;
  rows: GridRow[];
  planned: readonly PlannedRun[];
  selection: GridSelection | undefined;
  select: (selection: GridSelection) => void;
  /** The whole page of a run or a task. */
  openPage: (selection: GridSelection, isInTab: boolean) => void;
  toggleGroup: (group: string) => void;
  toggleFailed: () => void;
}

export function Grid({ grid, rows, planned, selection, select, openPage, toggleGroup, toggleFailed }: GridProps) {
  const zone = useZone();
  const columns = grid.runs.length;
  const [place, setPlace] = useState<Place>(
    () => findPlaceOf(grid, rows, selection) ?? { row: 0, column: columns - 1 },
  );
  const frame = useRef<HTMLDivElement>(null);
  const card = useRef<CardHandle>(null);
  const nameWidth = useNameWidth(rows, frame);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: useOverscan(4),
    scrollMargin: HEAD_PX,
  });
  const pieces = usePieces(frame, columns, nameWidth);
  const names = useMemo(() => grid.runs.map((run) => nameRun(run.run_id, zone)), [grid.runs, zone]);
  const instants = useMemo(() => [...grid.runs, ...planned].map((run) => run.run_after), [grid.runs, planned]);
  const starts = useMemo(() => listDayStarts(instants, zone), [instants, zone]);
  const labels = useMemo(() => listDayLabels(instants, starts), [instants, starts]);
  const mapped = useMemo(() => new Set(grid.mapped.map((at) => grid.task_ids[at])), [grid.mapped, grid.task_ids]);
  const follow = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(follow.current), []);
  const selectAt = (at: Place) => {
    const run = grid.runs[at.column];
    const row = rows[at.row];
    if (run && row && row.isFolded === undefined) select({ runId: run.run_id, taskId: row.id });
  };
  const open = (at: Place) => {
    const row = rows[at.row];
    if (row?.isFolded !== undefined) toggleGroup(row.id);
    else selectAt(at);
  };
  const openWhole = (at: Place, isInTab: boolean) => {
    const run = grid.runs[at.column];
    const row = rows[at.row];
    if (run && row && row.isFolded === undefined) openPage({ runId: run.run_id, taskId: row.id }, isInTab);
  };
  const show = (at: Place) => {
    setPlace(at);
    lines.scrollToIndex(at.row);
    scrollToColumn(frame.current, at.column, nameWidth);
    card.current?.hide();
    window.clearTimeout(follow.current);
    if (selection?.taskId !== undefined) follow.current = window.setTimeout(() => selectAt(at), FOLLOW_MS);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") toggleFailed();
    else if (event.key === "Enter" && event.shiftKey) openWhole(place, false);
    else if (event.key === "Enter") open(place);
    else {
      const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 300) / ROW_PX) - 3);
      const next =
        event.key === "n" ? findNextFailed(grid, rows, place) : move(place, event.key, rows.length, columns, page);
      if (!next) return;
      show(next);
    }
    event.preventDefault();
  };
  const newest = grid.runs[columns - 1]?.run_id;
  const last = useRef<{ count: number; newest: string | undefined }>({ count: 0, newest: undefined });
  useLayoutEffect(() => {
    const added = last.current.newest === newest ? columns - last.current.count : 0;
    const isFirst = last.current.newest === undefined;
    last.current = { count: columns, newest };
    if (!frame.current) return;
    if (added <= 0) {
      frame.current.scrollLeft = frame.current.scrollWidth;
      if (isFirst) scrollToColumn(frame.current, place.column, nameWidth);
    } else {
      // Older runs have come to the left: what is in view, and the chosen cell, stay where they are.
      frame.current.scrollLeft += added * COLUMN_PX;
      setPlace((at) => ({ ...at, column: at.column + added }));
    }
    // The chosen cell is brought into view when the grid opens and by the keys, not by each of its moves.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [columns, newest, nameWidth]);
  useShownBeside(frame, selection !== undefined, place.column, nameWidth);
  const width = nameWidth + (columns + planned.length) * COLUMN_PX + 8;
  const described = rows[place.row];
  const items = lines.getVirtualItems();
  // The element of a line that has left the view shows one that comes into view: making cells anew is what costs most while one scrolls.
  const [pool, setPool] = useState(1);
  if (items.length > pool) setPool(items.length);
  const findPlace = (target: EventTarget): Place | undefined => {
    const cell = (target as Element).closest<HTMLElement>("[role=gridcell]");
    const line = cell?.closest<HTMLElement>("[role=row]");
    return cell && line
      ? { row: Number(line.ariaRowIndex) - FIRST_ROW, column: Number(cell.ariaColIndex) - FIRST_COLUMN }
      : undefined;
  };
  // One listener for all lines: they and their cells come and go while one scrolls.
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const group = target.closest<HTMLElement>("[data-group]")?.dataset.group;
    if (group !== undefined && event.button === 0) return toggleGroup(group);
    const at = findPlace(target);
    if (!at || target.classList.contains(styles.empty as string)) return;
    card.current?.hide();
    // As for a link: with a key or the middle button in another tab.
    if (event.ctrlKey || event.metaKey || event.button === 1) openWhole(at, true);
    else if (event.button === 0) {
      setPlace(at);
      open(at);
    }
  };
  const onDoubleClick = (event: MouseEvent) => {
    const at = findPlace(event.target);
    if (at) openWhole(at, false);
  };
  const pointer = useRef({ x: -1, y: -1 });
  const onPoint = (event: MouseEvent) => {
    const target = event.target as Element;
    // While one scrolls, cells pass below a pointer that rests.
    const rests = pointer.current.x === event.clientX && pointer.current.y === event.clientY;
    pointer.current = { x: event.clientX, y: event.clientY };
    if (rests) return card.current?.point(undefined);
    const at = findPlace(target);
    const row = at && rows[at.row];
    const bar = target.closest<HTMLElement>("[data-column], [data-planned]");
    const run = bar?.dataset.planned === undefined ? undefined : planned[Number(bar.dataset.planned)];
    if (row && !target.classList.contains(styles.empty as string))
      card.current?.point({ kind: "cell", row, column: at.column }, target);
    else if (bar && run) card.current?.point({ kind: "planned", run }, bar);
    else if (bar) card.current?.point({ kind: "run", column: Number(bar.dataset.column) }, bar);
    else card.current?.point(undefined);
  };
  const onBarClick = (event: MouseEvent) => {
    const bar = (event.target as Element).closest<HTMLElement>("[data-column]");
    const run = bar && grid.runs[Number(bar.dataset.column)];
    if (!run) return;
    const selected = { runId: run.run_id, taskId: undefined };
    card.current?.hide();
    if (event.ctrlKey || event.metaKey || event.button === 1) openPage(selected, true);
    else if (event.type === "dblclick") openPage(selected, false);
    else if (event.button === 0) select(selected);
  };
  const chosenRun =
    selection && selection.taskId === undefined ? grid.runs.findIndex((run) => run.run_id === selection.runId) : -1;
  return (
    <>
      <div
        data-window=""
        data-open={selection && ""}
        className={styles.frame}
        ref={frame}
        role="grid"
        aria-label={t("Runs and tasks")}
        aria-rowcount={rows.length + FIRST_ROW - 1}
        aria-colcount={columns + planned.length + FIRST_COLUMN - 1}
        tabIndex={0}
        onKeyDown={press}
        onMouseOver={onPoint}
        onMouseLeave={() => card.current?.point(undefined)}
        aria-activedescendant={described ? `cell-${place.row}-${place.column}` : undefined}
        style={{ "--grid-name": `${nameWidth}px` } as React.CSSProperties}
      >
        <div
          role="presentation"
          className={styles.head}
          onClick={onBarClick}
          onAuxClick={onBarClick}
          onDoubleClick={onBarClick}
        >
          <GridHead
            grid={grid}
            planned={planned}
            labels={labels}
            names={names}
            from={pieces.from}
            to={pieces.to}
            width={width}
            chosen={chosenRun}
          />
        </div>
        <div
          className={styles.body}
          role="presentation"
          style={{ height: rows.length * ROW_PX, width }}
          onClick={onClick}
          onAuxClick={onClick}
          onDoubleClick={onDoubleClick}
        >
          <ColumnLines grid={grid} instants={instants} starts={starts} planned={planned.length} />
          {items.map((line) => (
            <div
              key={line.index % pool}
              className={styles.line}
              role="row"
              aria-rowindex={line.index + FIRST_ROW}
              style={{ transform: `translateY(${line.start - HEAD_PX}px)`, width }}
            >
              <GridLine
                grid={grid}
                row={rows[line.index] as GridRow}
                isMapped={mapped.has(rows[line.index]?.id)}
                number={line.index}
                from={pieces.from}
                to={pieces.to}
                names={names}
                chosen={place.row === line.index ? place.column : -1}
              />
            </div>
          ))}
        </div>
      </div>
      <GridCard grid={grid} names={names} ref={card} />
    </>
  );
}

/** Lines between days, dashed ones where the version of the DAG changes, and the ground of the columns that are planned. */
function ColumnLines({
  grid,
  instants,
  starts,
  planned,
}: {
  grid: GridData;
  instants: readonly string[];
  starts: readonly number[];
  planned: number;
}) {
  const zone = useZone();
  const days = useMemo(() => listLines(instants, starts, zone), [instants, starts, zone]);
  const changes = useMemo(() => listVersionChanges(grid.runs), [grid.runs]);
  const left = (column: number) => ({ left: `calc(var(--grid-name) + ${column * COLUMN_PX - 2}px)` });
  return (
    <>
      {planned > 0 && (
        <i
          className={styles.plannedColumns}
          aria-hidden="true"
          style={{ ...left(grid.runs.length), width: planned * COLUMN_PX }}
        />
      )}
      {days.map((column) => (
        <i key={`day ${column}`} className={styles.dayLine} aria-hidden="true" style={left(column)} />
      ))}
      {changes.map((column) => (
        <i key={`version ${column}`} className={styles.versionLine} aria-hidden="true" style={left(column)} />
      ))}
    </>
  );
}

function findPlaceOf(grid: GridData, rows: GridRow[], selection: GridSelection | undefined): Place | undefined {
  if (!selection) return undefined;
  const column = grid.runs.findIndex((run) => run.run_id === selection.runId);
  if (column < 0) return undefined;
  return {
    row: Math.max(
      0,
      rows.findIndex((row) => row.id === selection.taskId && row.isFolded === undefined),
    ),
    column,
  };
}

/** A sheet that opens at the right takes room: the chosen column stays in view. */
function useShownBeside(
  frame: React.RefObject<HTMLDivElement | null>,
  isOpen: boolean,
  column: number,
  nameWidth: number,
): void {
  useEffect(() => {
    const element = frame.current;
    if (!element || !isOpen) return undefined;
    const observer = new ResizeObserver(() => scrollToColumn(element, column, nameWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, isOpen, column, nameWidth]);
}

/** As wide as the longest name, and no wider than leaves room for the cells. */
function useNameWidth(rows: GridRow[], frame: React.RefObject<HTMLDivElement | null>): number {
  const isNarrow = useNarrow();
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
    () => rows.reduce((widest, row) => Math.max(widest, row.name.length * CHAR_PX + row.depth * INDENT_PX), 0) + 56,
    [rows],
  );
  return Math.round(Math.min(most, Math.max(isNarrow ? 120 : 160, wanted)));
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

/** The address of what a cell or a bar stands for. */
export function pageHref(dagId: string, { runId, taskId }: GridSelection): string {
  return taskId === undefined ? runHref(dagId, runId) : taskHref(dagId, runId, taskId);
}
