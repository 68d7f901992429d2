/** What the palette offers for a text: pages, DAGs with their acts, runs, and tasks of the DAG that is shown. */

import type { QueryClient } from "@tanstack/react-query";
import { change, part, read } from "../../api/client";
import { dagPath, toPattern } from "../../api/queries";
import type { DagList, DagRunList } from "../../api/shapes";
import { t } from "../../state/language";
import { DENSITY, LANGUAGE, type Preference, THEME, writePreference, ZONE } from "../../state/preferences";
import { FIRST, GROUPS } from "../navigation";
import { rankEntries, splitVerb } from "./rank";

const SHOWN_MAX = 8;
const RUN_TEXT_MIN = 3;
const STALE_MS = 10_000;
const VERBS = ["pause", "unpause", "run", "clear"] as const;

export interface PaletteEntry {
  key: string;
  kind: string;
  label: string;
  words: string;
  /** Where the entry leads; an entry without an address acts. */
  to?: { to: string; params?: Record<string, string>; search?: Record<string, unknown> };
  act?: () => Promise<string>;
}

interface TaskList {
  tasks: { task_id: string }[];
}

/** Pages and settings, which need no request. */
export function listPages(): PaletteEntry[] {
  return [FIRST, ...GROUPS.map((group) => group.entries)].flat().map((page) => ({
    key: `page ${page.to}`, kind: t("Page"), label: `${t(page.label)}: ${t(page.about)}`, words: `${t(page.label)} ${page.label} ${t(page.about)} ${page.about}`, to: { to: page.to, search: {} },
  }));
}

const SETTINGS: [Preference<string>, string][] = [[ZONE, /* text */ "Times"], [THEME, /* text */ "Theme"], [DENSITY, /* text */ "Density"], [LANGUAGE, /* text */ "Language"]];

export function listSettings(): PaletteEntry[] {
  return SETTINGS.flatMap(([preference, name]) =>
    preference.values.map((value) => ({
      key: `setting ${preference.name} ${value}`, kind: t("Display"), label: `${t(name)}: ${value}`, words: `${t(name)} ${name} ${value}`,
      act: () => {
        writePreference(preference, value);
        if (preference.name === LANGUAGE.name) window.location.reload();
        return Promise.resolve(t("{name} is now {value}.", { name: t(name), value }));
      },
    })),
  );
}

/** Entries for the text, from the server too. `dagId`: the DAG that is shown, whose runs and tasks are found first. */
export async function findEntries(client: QueryClient, typed: string, dagId: string | undefined, signal: AbortSignal): Promise<PaletteEntry[]> {
  const { verb, rest } = splitVerb(typed, VERBS);
  const pages = verb === undefined ? rankEntries(rest, [...listPages(), ...listSettings()]).slice(0, SHOWN_MAX) : [];
  if (rest === "" && verb === undefined) return [...(dagId === undefined ? [] : listActs(client, dagId)), ...listPages()];
  const found = await Promise.all([
    findDags(client, rest, verb),
    verb === undefined && dagId !== undefined ? findTasks(client, dagId, rest) : [],
    verb === undefined && (dagId !== undefined || rest.length >= RUN_TEXT_MIN) ? findRuns(client, dagId, rest) : [],
  ]);
  signal.throwIfAborted();
  return [...found[0], ...found[1], ...found[2], ...pages];
}

async function findDags(client: QueryClient, text: string, verb: string | undefined): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["dags", "palette", text], staleTime: STALE_MS,
    queryFn: () => read<DagList>("/api/v2/dags", { limit: SHOWN_MAX, dag_id_pattern: toPattern(text), order_by: "dag_id" }),
  });
  const dags = rankEntries(text, found.dags.map((dag) => ({ ...dag, words: dag.dag_id })));
  if (verb !== undefined) return dags.flatMap((dag) => listActs(client, dag.dag_id).filter((act) => act.words === verb));
  return dags.map((dag) => ({
    key: `dag ${dag.dag_id}`, kind: "DAG", label: dag.dag_id, words: dag.dag_id, to: { to: "/dags/$dagId", params: { dagId: dag.dag_id }, search: {} },
  }));
}

async function findTasks(client: QueryClient, dagId: string, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["dag", dagId, "palette tasks"], staleTime: STALE_MS, queryFn: () => read<TaskList>(`${dagPath(dagId)}/tasks`),
  });
  return rankEntries(text, found.tasks.map((task) => ({ ...task, words: task.task_id }))).slice(0, SHOWN_MAX).map((task) => ({
    key: `task ${task.task_id}`, kind: t("Task"), label: task.task_id, words: task.task_id, to: { to: "/dags/$dagId", params: { dagId }, search: { task: task.task_id } },
  }));
}

async function findRuns(client: QueryClient, dagId: string | undefined, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["runs", "palette", dagId, text], staleTime: STALE_MS,
    queryFn: () => read<DagRunList>(`/api/v2/dags/${dagId === undefined ? "~" : part(dagId)}/dagRuns`, { limit: SHOWN_MAX, run_id_pattern: toPattern(text), order_by: "-run_after" }),
  });
  return found.dag_runs.map((run) => ({
    key: `run ${run.dag_id} ${run.dag_run_id}`, kind: t("Run"), label: `${run.dag_id} ${run.dag_run_id}`, words: run.dag_run_id,
    to: { to: "/dags/$dagId/runs/$runId", params: { dagId: run.dag_id, runId: run.dag_run_id } },
  }));
}

/** What can be done with a DAG. `words` is the verb alone. */
function listActs(client: QueryClient, dagId: string): PaletteEntry[] {
  const setPaused = async (paused: boolean) => {
    await change("PATCH", dagPath(dagId), { is_paused: paused });
    void client.invalidateQueries({ queryKey: ["dags"] });
    void client.invalidateQueries({ queryKey: ["dag", dagId] });
    return paused ? t("{dag} is paused.", { dag: dagId }) : t("{dag} is active.", { dag: dagId });
  };
  const kind = t("Act");
  return [
    { key: `run ${dagId}`, kind, label: t("Run {dag} …", { dag: dagId }), words: "run", to: { to: "/dags/$dagId/trigger", params: { dagId }, search: {} } },
    { key: `pause ${dagId}`, kind, label: t("Pause {dag}", { dag: dagId }), words: "pause", act: () => setPaused(true) },
    { key: `unpause ${dagId}`, kind, label: t("Unpause {dag}", { dag: dagId }), words: "unpause", act: () => setPaused(false) },
    { key: `clear ${dagId}`, kind, label: t("Clear the failed run of {dag} …", { dag: dagId }), words: "clear", act: () => openFailedRun(dagId) },
  ];
}

/** Lead to the newest failed run of the DAG, where the clear has its preview. */
async function openFailedRun(dagId: string): Promise<string> {
  const found = await read<DagRunList>(`${dagPath(dagId)}/dagRuns`, { limit: 1, state: ["failed"], order_by: "-run_after" });
  const run = found.dag_runs[0];
  if (!run) return t("{dag} has no failed run.", { dag: dagId });
  window.location.assign(`/dags/${part(dagId)}/runs/${part(run.dag_run_id)}`);
  return "";
}
