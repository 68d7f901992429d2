/** Joins the pieces of a grid. */

import type { Grid, GridCell } from "../../api/shapes";

/** The grid of all runs of the pieces, the newest piece first. Groups are those of the newest piece; a task that only older runs have comes last. */
export function joinPieces(pieces: readonly Grid[]): Grid | undefined {
  const [newest, ...older] = pieces;
  if (!newest || older.length === 0) return newest;
  const states: (string | null)[] = [...newest.states];
  const taskIds = [...newest.task_ids];
  const rows = new Map(taskIds.map((id, at) => [id, at]));
  for (const piece of older) {
    for (const id of piece.task_ids) {
      if (rows.has(id)) continue;
      rows.set(id, taskIds.length);
      taskIds.push(id);
    }
  }
  const oldest = older[older.length - 1] as Grid;
  const width = pieces.reduce((sum, piece) => sum + piece.runs.length, 0);
  const cells: GridCell[][] = taskIds.map(() => new Array<GridCell>(width).fill(null));
  let from = 0;
  for (const piece of [...older].reverse().concat(newest)) {
    const numbers = piece.states.map((state) => findState(states, state));
    const isSame = numbers.every((number, at) => number === at);
    piece.task_ids.forEach((id, at) => {
      const own = piece.cells[at] as GridCell[];
      const line = cells[rows.get(id) as number] as GridCell[];
      for (let column = 0; column < own.length; column += 1)
        line[from + column] = isSame ? (own[column] as GridCell) : renumber(own[column] as GridCell, numbers);
    });
    from += piece.runs.length;
  }
  const added = taskIds.length - newest.task_ids.length;
  return {
    ...newest,
    states,
    task_ids: taskIds,
    cells,
    runs: [...older]
      .reverse()
      .concat(newest)
      .flatMap((piece) => piece.runs),
    has_older: oldest.has_older,
    task_groups: [...newest.task_groups, ...new Array<null>(added).fill(null)],
  } as Grid;
}

function findState(states: (string | null)[], state: string | null): number {
  const at = states.indexOf(state);
  return at >= 0 ? at : states.push(state) - 1;
}

function renumber(cell: GridCell, numbers: readonly number[]): GridCell {
  if (cell === null) return null;
  if (typeof cell === "number") return numbers[cell] as number;
  return (cell as [number, number][]).map(([state, count]): [number, number] => [
    numbers[state] as number,
    count,
  ]) as GridCell;
}
