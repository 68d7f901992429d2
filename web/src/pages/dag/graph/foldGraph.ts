/** What the graph shows of a DAG: tasks of open groups, one node for each folded group, and what is outside of the DAG. */

import type { OutsideNode, Structure, StructureTask } from "../../../api/shapes";
import type { Edge } from "../../../components/graph/layout";

export interface GraphNode {
  key: string;
  /** Inside of an open group without the id of the group. */
  name: string;
  id: string;
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
        add({
          key: `group:${id}`,
          name: nameInside(id, parent === null ? undefined : nodes[parent]?.id),
          id,
          kind: isOpen ? "open" : "group",
          parent,
          tasks: [],
          group,
        });
      nodes[found]?.tasks.push(at);
      if (!isOpen) {
        byTask[at] = found;
        return;
      }
      parent = found;
    }
    byTask[at] = add({
      key: `task:${task.task_id}`,
      name: task.display_name ?? nameInside(task.task_id, parent === null ? undefined : nodes[parent]?.id),
      id: task.task_id,
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

/** Inside of an open group a task, and a group, is named without the id of that group. */
function nameInside(id: string, group: string | undefined): string {
  return group !== undefined && id.startsWith(`${group}.`) ? id.slice(group.length + 1) : id;
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
    const node = add({ key: `outside:${at}`, name, id: name, kind: "outside", parent: null, tasks: [], outside });
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

/** More nodes than this cannot be read at once: such a folding is not even tried. */
const TRIED_MAX = 250;
/** Within a level, groups with more members fold first. */
const LARGE = 12;

/** Which groups can be open at first, the most open first: level by level from the inside, and there the large ones before the others. The last one has none open. */
export function listFoldings(structure: Structure): Set<string>[] {
  const paths = listGroupPaths(structure);
  const members = structure.groups.map(() => 0);
  for (const { group } of structure.tasks)
    if (typeof group === "number") members[group] = (members[group] as number) + 1;
  for (const { parent } of structure.groups) if (parent !== null) members[parent] = (members[parent] as number) + 1;
  const depth = Math.max(0, ...paths.map((path) => path.length));
  const open = new Set(structure.groups.map((_, at) => at));
  const foldings = [new Set(open)];
  for (let level = depth; level > 0; level -= 1)
    for (const least of [LARGE, -1]) {
      const folded = [...open].filter((at) => paths[at]?.length === level && (members[at] as number) > least);
      for (const at of folded) open.delete(at);
      if (folded.length > 0) foldings.push(new Set(open));
    }
  const count = (groups: ReadonlySet<number>) =>
    [...groups].reduce((sum, at) => sum + (members[at] as number), structure.outside.length) +
    structure.tasks.filter(({ group }) => typeof group !== "number").length +
    structure.groups.filter(({ parent }) => parent === null).length;
  return foldings
    .filter((groups, at) => at === foldings.length - 1 || count(groups) <= TRIED_MAX)
    .map((groups) => new Set([...groups].map((at) => structure.groups[at]?.group_id ?? "")));
}
