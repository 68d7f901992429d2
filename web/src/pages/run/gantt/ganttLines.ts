/** The lines of a Gantt chart: each task instance with its tries as bars. All times are milliseconds since 1970 and come from the tries and the instances alone. */

import type { RunTimeline, Structure } from "../../../api/shapes";

/** `ready`: nothing upstream is left, and no worker has started it. `deferred`: its trigger, its next look or the answer of a person is waited for. `retry`: the time before the next try. */
export type PartKind = "ready" | "run" | "deferred" | "retry";

export interface Part {
  kind: PartKind;
  from: number;
  to: number;
  /** How a run part ended; null while it runs. */
  state: string | null;
  tryNumber: number;
}

export interface GanttLine {
  key: string;
  task: number;
  taskId: string;
  mapIndex: number;
  name: string;
  state: string | null;
  tryNumber: number;
  parts: Part[];
  /** When nothing upstream was left; undefined while something is. */
  readyAt: number | undefined;
  start: number | undefined;
  end: number | undefined;
}

const GAPS: Record<string, PartKind> = {
  deferred: "deferred",
  awaiting_input: "deferred",
  up_for_reschedule: "deferred",
};
const WAITING: Record<string, PartKind> = {
  deferred: "deferred",
  awaiting_input: "deferred",
  up_for_reschedule: "deferred",
  up_for_retry: "retry",
  queued: "ready",
  scheduled: "ready",
};

export function buildLines(timeline: RunTimeline, structure: Structure, now: number): GanttLine[] {
  const attempts: RunTimeline["attempts"][] = timeline.instances.map(() => []);
  for (const one of timeline.attempts) attempts[one[0]]?.push(one);
  const ends = collectEnds(timeline);
  const upstream = collectUpstream(timeline, structure);
  const began = timeline.start_date ? Date.parse(timeline.start_date) : undefined;
  return timeline.instances.map(([task, mapIndex, state, tryNumber, start, end, , rendered], at) => {
    const taskId = timeline.task_ids[task] ?? "";
    const readyAt = findReady(upstream[task] ?? [], ends, began);
    const stateName = timeline.states[state] ?? null;
    const line: GanttLine = {
      key: `${task}:${mapIndex}`,
      task,
      taskId,
      mapIndex,
      name: mapIndex < 0 ? taskId : `${taskId} [${rendered ?? mapIndex}]`,
      state: stateName,
      tryNumber,
      parts: [],
      readyAt,
      start: start ?? undefined,
      end: end ?? undefined,
    };
    addParts(line, attempts[at] ?? [], timeline.states, now);
    line.start = line.parts.find((part) => part.kind === "run")?.from ?? line.start;
    return line;
  });
}

/** For each task the end of its last instance; undefined while one has not ended. */
function collectEnds(timeline: RunTimeline): (number | undefined)[] {
  const ends: (number | undefined)[] = [];
  const open = new Set<number>();
  for (const [task, , , , , end] of timeline.instances) {
    if (end === null) open.add(task);
    else ends[task] = Math.max(ends[task] ?? 0, end);
  }
  for (const task of open) ends[task] = undefined;
  return ends;
}

function collectUpstream(timeline: RunTimeline, structure: Structure): number[][] {
  const index = new Map(timeline.task_ids.map((taskId, at) => [taskId, at]));
  const places = structure.tasks.map((task) => index.get(task.task_id));
  const upstream: number[][] = timeline.task_ids.map(() => []);
  for (const [from, to] of structure.edges) {
    const [a, b] = [places[from], places[to]];
    if (a !== undefined && b !== undefined) upstream[b]?.push(a);
  }
  return upstream;
}

function findReady(upstream: number[], ends: (number | undefined)[], began: number | undefined): number | undefined {
  let ready = began;
  for (const task of upstream) {
    const end = ends[task];
    if (end === undefined) return undefined;
    ready = Math.max(ready ?? 0, end);
  }
  return ready;
}

function addParts(
  line: GanttLine,
  attempts: RunTimeline["attempts"],
  states: RunTimeline["states"],
  now: number,
): void {
  let cursor = line.readyAt;
  let gap: PartKind = "ready";
  const wait = (to: number) => {
    if (cursor !== undefined && to > cursor)
      line.parts.push({ kind: gap, from: cursor, to, state: null, tryNumber: line.tryNumber });
  };
  for (const [, tryNumber, state, start, end] of attempts) {
    if (start === null) continue;
    wait(start);
    line.parts.push({ kind: "run", from: start, to: end ?? now, state: states[state] ?? null, tryNumber });
    cursor = end ?? now;
    gap = GAPS[states[state] ?? ""] ?? "retry";
  }
  const last = line.parts.findLast((part) => part.kind === "run");
  const hasOwn = line.start !== undefined && (last === undefined || (line.start > last.from && line.start >= last.to));
  if (hasOwn && line.start !== undefined) {
    wait(line.start);
    const isRunning = line.end === undefined && (line.state === "running" || line.state === "restarting");
    if (line.end !== undefined || isRunning)
      line.parts.push({
        kind: "run",
        from: line.start,
        to: line.end ?? now,
        state: line.end === undefined ? null : line.state,
        tryNumber: line.tryNumber,
      });
    if (line.end !== undefined || isRunning) return;
    cursor = line.start;
  }
  const waits = WAITING[line.state ?? ""] ?? (line.state === null && line.readyAt !== undefined ? "ready" : undefined);
  if (line.end === undefined && waits !== undefined && cursor !== undefined) {
    gap = waits;
    wait(now);
  }
}

/** The instances that determine when the run ends, the first first: each starts after the one before it, which ended last of all that are upstream. */
export function findCriticalPath(
  lines: readonly GanttLine[],
  timeline: RunTimeline,
  structure: Structure,
  now: number,
): GanttLine[] {
  const upstream = collectUpstream(timeline, structure);
  const last = new Map<number, GanttLine>();
  const endOf = (line: GanttLine) => line.end ?? line.parts.at(-1)?.to ?? (line.start === undefined ? 0 : now);
  for (const line of lines) {
    const known = last.get(line.task);
    if (line.parts.length > 0 && (known === undefined || endOf(line) > endOf(known))) last.set(line.task, line);
  }
  const latest = (candidates: Iterable<GanttLine | undefined>) => {
    let best: GanttLine | undefined;
    for (const one of candidates) if (one && (best === undefined || endOf(one) > endOf(best))) best = one;
    return best;
  };
  const path: GanttLine[] = [];
  for (
    let line = latest(last.values());
    line && !path.includes(line);
    line = latest((upstream[line.task] ?? []).map((task) => last.get(task)))
  )
    path.unshift(line);
  return path;
}
