/** What the graph shows of a DAG: tasks of open groups, one node for each folded group, and what is outside of the DAG. */

import type { OutsideNode, Structure, StructureTask } from "../../../api/shapes";
import type { Edge } from "../../../components/graph/ranks";

export interface GraphNode {
  key: string;
  name: string;
  kind: "task" | "group" | "open" | "outside";
  /** The index of the open group that contains it, among the nodes. */
  parent: number | null;
  /** The tasks for which it stands, by index. */
  tasks: number[];
  task?: StructureTask;
  group?: number;
  outside?: OutsideNode;
}

export interface GraphEdge {
  ends: Edge;
  label: string;
  /** It leads from or to something outside of the DAG. */
  isOutside: boolean;
}

export interface FoldedGraph {
  /** An open group stands before its members. */
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A DAG opens with as many groups open as make at most this number of nodes. */
export const OPEN_NODES_MAX = 90;

export function foldGraph(structure: Structure, open: ReadonlySet<string>): FoldedGraph {
  const nodes: GraphNode[] = [];
  const places = new Map<string, number>();
  const byTask: number[] = [];
  const add = (node: GraphNode) => {
    places.set(node.key, nodes.length);
    return nodes.push(node) - 1;
  };
  const paths = listGroupPaths(structure);
  structure.tasks.forEach((task, at) => {
    let parent: number | null = null;
    for (const group of task.group === undefined || task.group === null ? [] : (paths[task.group] as number[])) {
      const id = structure.groups[group]?.group_id ?? "";
      const isOpen = open.has(id);
      const found: number =
        places.get(`group:${id}`) ??
        add({ key: `group:${id}`, name: id, kind: isOpen ? "open" : "group", parent, tasks: [], group });
      nodes[found]?.tasks.push(at);
      if (!isOpen) {
        byTask[at] = found;
        return;
      }
      parent = found;
    }
    byTask[at] = add({
      key: `task:${task.task_id}`,
      name: task.display_name ?? nameInside(task.task_id, parent === null ? undefined : nodes[parent]?.name),
      kind: "task",
      parent,
      tasks: [at],
      task,
    });
  });
  const edges = new Map<string, GraphEdge>();
  const labels = new Map(structure.labels.map(([from, to, label]) => [`${from}>${to}`, label]));
  const link = (from: number, to: number, label: string, isOutside: boolean) => {
    if (from === to) return;
    const key = `${from}>${to}`;
    const known = edges.get(key);
    if (!known) edges.set(key, { ends: [from, to], label, isOutside });
    else if (label && !known.label.split(", ").includes(label))
      known.label = known.label ? `${known.label}, ${label}` : label;
  };
  for (const [from, to] of structure.edges)
    link(byTask[from] as number, byTask[to] as number, labels.get(`${from}>${to}`) ?? "", false);
  addOutside(structure, byTask, add, link);
  return { nodes, edges: [...edges.values()] };
}

/** Inside of an open group a task is named without the id of the group. */
function nameInside(taskId: string, group: string | undefined): string {
  return group !== undefined && taskId.startsWith(`${group}.`) ? taskId.slice(group.length + 1) : taskId;
}

function addOutside(
  structure: Structure,
  byTask: number[],
  add: (node: GraphNode) => number,
  link: (from: number, to: number, label: string, isOutside: boolean) => void,
): void {
  const hasUpstream = new Set(structure.edges.map(([, to]) => to));
  const roots = structure.tasks.map((_, at) => at).filter((at) => !hasUpstream.has(at));
  structure.outside.forEach((outside, at) => {
    const name = outside.task_id ? `${outside.name}.${outside.task_id}` : outside.name;
    const node = add({ key: `outside:${at}`, name, kind: "outside", parent: null, tasks: [], outside });
    const tasks = outside.tasks.length > 0 ? outside.tasks : roots;
    for (const task of tasks) {
      const inside = byTask[task] as number;
      const [from, to] = outside.is_upstream ? [node, inside] : [inside, node];
      link(from, to, "", true);
    }
  });
}

/** For each group the groups that contain it, outermost first, and itself. */
export function listGroupPaths(structure: Pick<Structure, "groups">): number[][] {
  const paths: number[][] = [];
  structure.groups.forEach((group, at) => {
    paths[at] = [...(group.parent === null ? [] : (paths[group.parent] ?? [])), at];
  });
  return paths;
}

/** The groups that are open at first: from the outside in, as long as the nodes stay few. */
export function chooseOpenGroups(structure: Structure, most: number = OPEN_NODES_MAX): Set<string> {
  const members = structure.groups.map(() => 0);
  let count = structure.outside.length;
  for (const task of structure.tasks) {
    if (task.group === undefined || task.group === null) count += 1;
    else members[task.group] = (members[task.group] as number) + 1;
  }
  for (const group of structure.groups) {
    if (group.parent === null) count += 1;
    else members[group.parent] = (members[group.parent] as number) + 1;
  }
  const open = new Set<string>();
  structure.groups.forEach((group, at) => {
    const isReached = group.parent === null || open.has(structure.groups[group.parent]?.group_id ?? "");
    if (!isReached || count + (members[at] as number) > most) return;
    open.add(group.group_id);
    count += members[at] as number;
  });
  return open;
}

/** All nodes from which the node can be reached, and all that it reaches; without itself. */
export function findReach(graph: FoldedGraph, from: number): { upstream: Set<number>; downstream: Set<number> } {
  const next: number[][] = graph.nodes.map(() => []);
  const before: number[][] = graph.nodes.map(() => []);
  for (const {
    ends: [a, b],
  } of graph.edges) {
    next[a]?.push(b);
    before[b]?.push(a);
  }
  const follow = (lists: number[][], starts: number[]) => {
    const found = new Set<number>();
    const left = [...starts];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      for (const one of lists[node] ?? []) {
        if (!found.has(one)) {
          found.add(one);
          left.push(one);
        }
      }
    }
    for (const start of starts) found.delete(start);
    return found;
  };
  const starts = graph.nodes[from]?.kind === "open" ? listMembers(graph, from) : [from];
  return { upstream: follow(before, starts), downstream: follow(next, starts) };
}

function listMembers(graph: FoldedGraph, group: number): number[] {
  const inside = new Set([group]);
  graph.nodes.forEach((node, at) => {
    if (node.parent !== null && inside.has(node.parent)) inside.add(at);
  });
  return [...inside];
}

/** The nodes that have the text in their name or their full id, or stand for a task that has it in its id; a node whose name or id is the text comes first. */
export function findMatches(nodes: readonly GraphNode[], structure: Structure, find: string): number[] {
  const text = find.trim().toLowerCase();
  if (text === "") return [];
  const names = nodes.map((node) =>
    [node.name, ...(node.task ? [node.task.task_id] : [])].map((name) => name.toLowerCase()),
  );
  const isMatch = (node: GraphNode, at: number) =>
    names[at]?.some((name) => name.includes(text)) ||
    (node.kind === "group" && node.tasks.some((task) => structure.tasks[task]?.task_id.toLowerCase().includes(text)));
  const matches = nodes.flatMap((node, at) => (isMatch(node, at) ? [at] : []));
  return [...matches.filter((at) => names[at]?.includes(text)), ...matches.filter((at) => !names[at]?.includes(text))];
}
