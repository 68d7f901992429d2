/** Runs × tasks. Only the rows in view are in the document; arrows move, Enter opens, `n` goes to the next failed instance. */

import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, useMemo, useRef, useState } from "react";
import type { Grid as GridData } from "../../api/shapes";
import { stateClass, stateName, stateShape } from "../../components/StateBadge";
import { formatTime, useZone } from "../../state/times";
import { findNextFailed, type GridRow, move, type Place, readCell, selectRows } from "./gridRows";

const ROW_PX = 28;
const BAR_PX = 48;

export function Grid({ grid, search, onlyFailed }: { grid: GridData; search: string; onlyFailed: boolean }) {
  const rows = useMemo(() => selectRows(grid, search, onlyFailed), [grid, search, onlyFailed]);
  const [place, setPlace] = useState<Place>({ row: 0, column: Math.max(0, grid.runs.length - 1) });
  const frame = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({ count: rows.length, getScrollElement: () => frame.current, estimateSize: () => ROW_PX, overscan: 12 });
  const navigate = useNavigate();
  if (grid.runs.length === 0) return <p>This DAG has had no run yet.</p>;

  const open = (at: Place) => {
    const run = grid.runs[at.column];
    const row = rows[at.row];
    if (!run || !row) return;
    void navigate({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params: { dagId: grid.dag_id, runId: run.run_id, taskId: row.taskId }, search: {} });
  };
  const press = (event: KeyboardEvent) => {
    const next = event.key === "n" || event.key === "f" ? findNextFailed(grid, rows, place) : move(place, event.key, rows.length, grid.runs.length);
    if (next) {
      event.preventDefault();
      setPlace(next);
      lines.scrollToIndex(next.row);
    } else if (event.key === "Enter") {
      open(place);
    }
  };
  return (
    <>
      <RunBars grid={grid} />
      <p className="soft">{rows.length} of {grid.task_ids.length} tasks. Arrows move, Enter opens, n goes to the next failed task.</p>
      <div className="grid-frame" ref={frame} role="grid" aria-label="Runs and tasks" aria-rowcount={rows.length} aria-colcount={grid.runs.length} tabIndex={0} onKeyDown={press}>
        <div className="grid-body" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map((line) => (
            <div key={line.key} className="grid-line" role="row" aria-rowindex={line.index + 1} style={{ transform: `translateY(${line.start}px)` }}>
              <GridLine grid={grid} row={rows[line.index] as GridRow} chosen={place.row === line.index ? place.column : -1} open={(column) => open({ row: line.index, column })} />
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

/** A bar for each run: its height is the duration. */
function RunBars({ grid }: { grid: GridData }) {
  const navigate = useNavigate();
  const zone = useZone();
  const lengths = grid.runs.map((run) => (run.start_date && run.end_date ? Date.parse(run.end_date) - Date.parse(run.start_date) : 0));
  const longest = Math.max(1, ...lengths);
  return (
    <div className="bars">
      {grid.runs.map((run, at) => {
        const words = `${run.run_id}, ${stateName(run.state)}, ${formatTime(run.run_after, zone)}`;
        return (
          <button
            key={run.run_id} type="button" className={`bar ${stateClass(run.state)}`} title={words} aria-label={words}
            style={{ height: 10 + (BAR_PX - 10) * ((lengths[at] ?? 0) / longest) }}
            onClick={() => void navigate({ to: "/dags/$dagId/runs/$runId", params: { dagId: grid.dag_id, runId: run.run_id } })}
          />
        );
      })}
    </div>
  );
}

interface GridLineProps {
  grid: GridData;
  row: GridRow;
  chosen: number;
  open: (column: number) => void;
}

const GridLine = memo(function GridLine({ grid, row, chosen, open }: GridLineProps) {
  return (
    <>
      <span className="grid-task" role="rowheader" title={row.taskId}>{row.taskId}</span>
      {grid.runs.map((run, column) => {
        const states = readCell(grid, row.cells[column] ?? null);
        const first = states[0];
        const total = states.reduce((sum, [, count]) => sum + count, 0);
        const words = states.map(([state, count]) => (total > 1 ? `${count} ${stateName(state)}` : stateName(state))).join(", ");
        return (
          <span
            key={run.run_id} role="gridcell" aria-selected={chosen === column} aria-label={`${row.taskId}, ${run.run_id}: ${words || "no instance"}`}
            title={`${row.taskId}\n${run.run_id}\n${words || "no instance"}`} onClick={() => first && open(column)}
            className={`cell ${first ? stateClass(first[0]) : "empty"}${chosen === column ? " chosen" : ""}`}
          >
            {first && (total > 1 ? total : stateShape(first[0]))}
          </span>
        );
      })}
    </>
  );
});
