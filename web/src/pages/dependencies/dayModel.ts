/** The lanes of a day and what each slot waits for, from the answers about several DAGs. No drawing. */

import type { DayDependencies, SlotRuns } from "../../api/across";

/** A slot of a DAG, with its run if there is one. */
export interface DaySlot {
  at: number;
  runId?: string;
  /** State of the run; `none`: the schedule has passed the slot without a run; `due`: its time has come, and it has no run yet; `planned`: it is to come. */
  state: string;
}

export interface Lane {
  dagId: string;
  /** `upstream`: the chosen DAG waits for it; `downstream`: it waits for the chosen DAG. */
  role: "upstream" | "chosen" | "downstream";
  paused: boolean;
  slots: DaySlot[];
  /** Why it has no slots to show. */
  problem?: string;
}

/** A slot waits for a slot of another lane, or of its own. */
export interface Wait {
  from: number;
  fromAt: number;
  to: number;
  toAt: number;
  rule: string;
  /** What waits or is waited for, where it is a task: `task load`. */
  label: string;
}

export interface DayModel {
  lanes: Lane[];
  waits: Wait[];
  /** Slots that wait for nothing, by lane: the rule that said so. */
  free: Map<string, string>;
  problems: string[];
}

/** `answers`: of the chosen DAG first, then of the DAGs that wait for it. */
export function buildDay(dagId: string, answers: DayDependencies[], runs: SlotRuns | undefined, now: number): DayModel {
  const chosen = answers.find((one) => one.dag_id === dagId);
  const downstream = answers.filter((one) => one.dag_id !== dagId).map((one) => one.dag_id);
  const upstream = [...new Set(chosen?.dependencies.map((one) => one.upstream_dag_id) ?? [])].filter(
    (one) => one !== dagId && !downstream.includes(one),
  );
  const ids = [...upstream, dagId, ...downstream];
  const slots = new Map<string, Set<number>>(ids.map((id) => [id, new Set<number>()]));
  const waits = collectWaits(dagId, answers, ids, slots);
  const problems = answers.flatMap((one) =>
    one.dependencies
      .filter((each) => each.error !== null && ids.includes(each.upstream_dag_id))
      .map((each) => each.error as string),
  );
  const known = new Map(runs?.dags.map((one) => [one.dag_id, one]) ?? []);
  const lanes = ids.map((id): Lane => {
    const facts = known.get(id);
    return {
      dagId: id,
      role: id === dagId ? "chosen" : upstream.includes(id) ? "upstream" : "downstream",
      paused: facts?.paused ?? false,
      slots: buildSlots([...(slots.get(id) ?? [])], facts, now),
    };
  });
  return { lanes, waits: waits.waits, free: waits.free, problems: [...new Set(problems)] };
}

function collectWaits(dagId: string, answers: DayDependencies[], ids: string[], slots: Map<string, Set<number>>) {
  const waits: Wait[] = [];
  const free = new Map<string, string>();
  for (const answer of answers) {
    const from = ids.indexOf(answer.dag_id);
    for (const dependency of answer.dependencies) {
      if (answer.dag_id !== dagId && dependency.upstream_dag_id !== dagId) continue;
      const to = ids.indexOf(dependency.upstream_dag_id);
      for (const at of dependency.upstream_slots) slots.get(dependency.upstream_dag_id)?.add(Date.parse(at));
      for (const run of dependency.runs) {
        const fromAt = Date.parse(run.run_after);
        slots.get(answer.dag_id)?.add(fromAt);
        if (run.waits_for.length === 0) free.set(`${from} ${fromAt}`, run.rule);
        for (const slot of run.waits_for) {
          const toAt = Date.parse(slot);
          slots.get(dependency.upstream_dag_id)?.add(toAt);
          waits.push({
            from,
            fromAt,
            to,
            toAt,
            rule: run.rule,
            label: labelTasks(dependency.task_id, dependency.upstream_task_id),
          });
        }
      }
    }
  }
  return { waits, free };
}

function labelTasks(waiting: string | null, upstream: string | null): string {
  return waiting === null && upstream === null ? "" : `${upstream ?? "*"} → ${waiting ?? "*"}`;
}

/** The slots in order: those of the timetable, and those of runs that an older timetable has made. */
function buildSlots(planned: number[], facts: SlotRuns["dags"][number] | undefined, now: number): DaySlot[] {
  const decided = facts?.decided_until ? Date.parse(facts.decided_until) : -Infinity;
  const found = new Map<number, DaySlot>(
    planned.map((at) => [at, { at, state: at < decided ? "none" : at <= now ? "due" : "planned" }]),
  );
  for (const run of facts?.runs ?? []) {
    const at = Date.parse(run.slot);
    found.set(at, { at, runId: run.run_id, state: run.state });
  }
  return [...found.values()].sort((one, other) => one.at - other.at);
}
