/** The lines of the list of a run: groups, tasks and instances, folded and filtered. */

import type { RunTask, RunTasks } from "../../api/runs";

/** Filters of the list, as the address has them. A value that begins with `!` excludes what it names. */
export interface TaskFilters {
  only?: "unfinished" | "failed";
  state?: string;
  task?: string;
  operator?: string;
  pool?: string;
  queue?: string;
  index?: string;
  /** At least so many seconds. */
  longer?: number;
}

export interface Instance {
  task: RunTask;
  mapIndex: number;
  state: string | null;
  tryNumber: number;
  start: number | null;
  end: number | null;
  rendered: string | null;
}

export type Line =
  | {
      kind: "group";
      key: string;
      depth: number;
      name: string;
      counts: Record<string, number>;
      isOpen: boolean;
      taskIds: string[];
    }
  | { kind: "task"; key: string; depth: number; task: RunTask; counts: Record<string, number>; isOpen: boolean }
  | { kind: "instance"; key: string; depth: number; instance: Instance };

export const FAILED: readonly string[] = ["failed", "upstream_failed"];
export const FINISHED: readonly string[] = ["success", "failed", "skipped", "upstream_failed", "removed"];
/** A mapped task, or a group, with more lines than this is folded until it is opened. */
const OPEN_MAX = 50;

export function readInstances(found: RunTasks): Instance[] {
  return found.instances.map(([task, mapIndex, state, tryNumber, start, end, rendered]) => ({
    task: found.tasks[task] as RunTask,
    mapIndex,
    state: found.states[state] ?? null,
    tryNumber,
    start,
    end,
    rendered,
  }));
}

/** Whether a value fits a filter: one of several with commas, none of them behind `!`. */
export function fits(filter: string | undefined, value: string | null): boolean {
  if (!filter) return true;
  const isNot = filter.startsWith("!");
  const wanted = (isNot ? filter.slice(1) : filter).split(",");
  return wanted.includes(value ?? "none") !== isNot;
}

/** Whether a text contains the filter, in either case; does not contain it behind `!`. */
export function contains(filter: string | undefined, text: string): boolean {
  if (!filter) return true;
  const isNot = filter.startsWith("!");
  const wanted = (isNot ? filter.slice(1) : filter).toLowerCase();
  return wanted === "" || text.toLowerCase().includes(wanted) !== isNot;
}

export function filterInstances(
  instances: readonly Instance[],
  groups: Record<string, string | null>,
  filters: TaskFilters,
  now: number,
): Instance[] {
  return instances.filter((one) => {
    const state = one.state;
    if (filters.only === "failed" && !FAILED.includes(state ?? "")) return false;
    if (filters.only === "unfinished" && FINISHED.includes(state ?? "")) return false;
    if (
      !fits(filters.state, state) ||
      !fits(filters.operator, one.task.operator) ||
      !fits(filters.pool, one.task.pool) ||
      !fits(filters.queue, one.task.queue)
    )
      return false;
    if (
      filters.index &&
      !fits(filters.index, one.rendered ?? String(one.mapIndex)) &&
      !fits(filters.index, String(one.mapIndex))
    )
      return false;
    if (filters.longer !== undefined && (durationOf(one, now) ?? -1) < filters.longer) return false;
    return contains(filters.task, [one.task.task_id, one.task.name, ...listGroups(one.task, groups)].join("\n"));
  });
}

/** Seconds from the start to the end, or to now. */
export function durationOf(one: Instance, now: number): number | null {
  if (one.start === null) return null;
  return (one.end ?? (one.state === "running" ? now : one.start)) - one.start;
}

/** The group of the task and those around it, the outermost first. */
export function listGroups(task: RunTask, groups: Record<string, string | null>): string[] {
  const found: string[] = [];
  for (
    let group = task.group;
    group !== null && group !== undefined && found.length < 100;
    group = groups[group] ?? null
  )
    found.unshift(group);
  return found;
}

/** The lines of these instances, in the order of the tasks. `toggled`: the keys of the lines that are not as they are by default. */
export function buildLines(found: RunTasks, instances: readonly Instance[], toggled: ReadonlySet<string>): Line[] {
  const byTask = new Map<RunTask, Instance[]>();
  for (const one of instances) {
    const own = byTask.get(one.task);
    if (own) own.push(one);
    else byTask.set(one.task, [one]);
  }
  const tree = new Node("");
  for (const task of found.tasks) {
    const own = byTask.get(task);
    if (!own) continue;
    let node = tree;
    for (const group of listGroups(task, found.groups)) node = node.open(group);
    node.items.push({ task, own });
  }
  const lines: Line[] = [];
  tree.write(lines, 0, toggled, instances.length > OPEN_MAX);
  return lines;
}

/** The instances in a state, in the order of the tasks. */
export function listInState(found: RunTasks, state: string): Instance[] {
  return readInstances(found).filter((one) => one.state === state);
}

/** The tasks behind which there is no other: they decide how the run ends. */
export function findLastTasks(found: RunTasks): RunTask[] {
  const upstream = new Set(found.tasks.flatMap((task) => task.upstream));
  return found.tasks.filter((task) => !upstream.has(task.task_id));
}

/** The instance that matters most: what failed first, else what runs, else the first. */
export function chooseInstance(instances: readonly Instance[]): Instance | undefined {
  const failed = instances.filter((one) => one.state === "failed");
  const first = failed.toSorted((one, other) => (one.end ?? Infinity) - (other.end ?? Infinity))[0];
  return (
    first ??
    instances.find((one) => one.state === "awaiting_input") ??
    instances.find((one) => one.state === "running") ??
    instances.find((one) => one.start !== null) ??
    instances[0]
  );
}

export function countStates(instances: readonly Instance[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of instances) counts[one.state ?? "none"] = (counts[one.state ?? "none"] ?? 0) + 1;
  return counts;
}

class Node {
  readonly items: (Node | { task: RunTask; own: Instance[] })[] = [];
  private readonly groups = new Map<string, Node>();

  constructor(readonly group: string) {}

  open(group: string): Node {
    const known = this.groups.get(group);
    if (known) return known;
    const made = new Node(group);
    this.groups.set(group, made);
    this.items.push(made);
    return made;
  }

  list(): Instance[] {
    return this.items.flatMap((item) => (item instanceof Node ? item.list() : item.own));
  }

  write(lines: Line[], depth: number, toggled: ReadonlySet<string>, isLong: boolean): void {
    for (const item of this.items) {
      if (item instanceof Node) item.writeGroup(lines, depth, toggled, isLong);
      else writeTask(lines, item.task, item.own, depth, toggled);
    }
  }

  private writeGroup(lines: Line[], depth: number, toggled: ReadonlySet<string>, isLong: boolean): void {
    const key = `g:${this.group}`;
    const own = this.list();
    const isOpen = (isLong && own.length > 1) === toggled.has(key);
    lines.push({
      kind: "group",
      key,
      depth,
      name: this.group,
      counts: countStates(own),
      isOpen,
      taskIds: [...new Set(own.map((one) => one.task.task_id))],
    });
    if (isOpen) this.write(lines, depth + 1, toggled, isLong);
  }
}

function writeTask(lines: Line[], task: RunTask, own: Instance[], depth: number, toggled: ReadonlySet<string>): void {
  const key = `t:${task.task_id}`;
  const only = own[0];
  if (own.length === 1 && only && only.mapIndex < 0) {
    lines.push({ kind: "instance", key, depth, instance: only });
    return;
  }
  const isOpen = toggled.has(key) !== own.length <= 5;
  lines.push({ kind: "task", key, depth, task, counts: countStates(own), isOpen });
  if (isOpen)
    for (const one of own)
      lines.push({ kind: "instance", key: `${key} ${one.mapIndex}`, depth: depth + 1, instance: one });
}
