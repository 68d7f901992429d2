/** What the palette offers for a text: pages, DAGs with their acts, runs, and tasks of the DAG that is shown. */

import type { QueryClient } from "@tanstack/react-query";
import { meQuery } from "../../api/administration";
import { baselinesQuery } from "../../api/baselines";
import { mayChange } from "../../state/account";
import { ApiError, get, part, patch } from "../../api/client";
import { toPattern } from "../../api/queries";
import { t } from "../../state/language";
import { DENSITY, LANGUAGE, type Preference, THEME, writePreference, ZONE } from "../../state/preferences";
import { nameRun } from "../../state/runNames";
import { readZone } from "../../state/times";
import {
  AgainIcon,
  AssetIcon,
  CalendarIcon,
  ClockIcon,
  CodeIcon,
  CopyIcon,
  DownloadIcon,
  GraphIcon,
  HistoryIcon,
  type Icon,
  LinkIcon,
  ListIcon,
  PauseIcon,
  RunIcon,
  SettingsIcon,
} from "../../ui/icons";
import { FIRST, GROUPS, isOffered, KEYS_OF_PAGES, OWN } from "../navigation";
import { canCopyPicture, copyLink, copyPicture, savePicture } from "../share/share";
import { rankEntries, splitVerb } from "./rank";
import { listRecent } from "./recent";

const SHOWN_MAX = 8;
/** Runs of all DAGs are found for a text of so many characters. */
const TEXT_MIN = 3;
const STALE_MS = 10_000;
/** The verbs of acts, and the other words for them, in the languages that the page is built with. */
const VERBS = [
  ...["pause", "unpause", "run", "trigger", "clear", "rerun", "retry", "resume", "backfill"],
  ...["暂停", "取消暂停", "启用", "恢复", "运行", "触发", "清除", "重跑", "重试", "补数据"],
];

export interface PaletteEntry {
  key: string;
  kind: string;
  label: string;
  /** What a page is for. */
  about?: string;
  /** The keys that lead there from everywhere. */
  keys?: string;
  icon: Icon;
  words: string;
  /** Where the entry leads; an entry without an address acts. */
  to?: { to: string; params?: Record<string, string>; search?: Record<string, unknown> };
  act?: () => Promise<string>;
}

export interface Found {
  entries: PaletteEntry[];
  /** Why a part of the entries is missing; empty: none is. */
  problem: string;
}

/** The pages that are offered to the account; they need no request. */
function listPages(client: QueryClient): PaletteEntry[] {
  const me = client.getQueryData(meQuery().queryKey);
  return [FIRST, ...GROUPS.map((group) => group.entries), [OWN]]
    .flat()
    .filter((page) => isOffered(page, me))
    .map((page) => ({
      key: `page ${page.to}`,
      kind: t("Page"),
      label: t(page.label),
      about: t(page.about),
      icon: ListIcon,
      keys: KEYS_OF_PAGES[page.to],
      words: `${t(page.label)} ${page.label} ${t(page.about)} ${page.about} ${page.also ?? ""}`,
      to: { to: page.to, search: {} },
    }));
}

const SETTINGS: [Preference<string>, string][] = [
  [ZONE, /* text */ "Times"],
  [THEME, /* text */ "Theme"],
  [DENSITY, /* text */ "Density"],
  [LANGUAGE, /* text */ "Language"],
];

function listSettings(): PaletteEntry[] {
  return SETTINGS.flatMap(([preference, name]) =>
    preference.values.map((value) => ({
      key: `setting ${preference.name} ${value}`,
      kind: t("Display"),
      icon: SettingsIcon,
      label: `${t(name)}: ${value}`,
      words: `${t(name)} ${name} ${value}`,
      act: () => {
        writePreference(preference, value);
        if (preference.name === LANGUAGE.name) window.location.reload();
        return Promise.resolve(t("{name} is now {value}.", { name: t(name), value }));
      },
    })),
  );
}

/** What is done with the view that is shown: the last of what is offered without a text. */
function listShares(): PaletteEntry[] {
  const acts: [string, Icon, string, () => Promise<string>][] = [
    [t("Copy a link to this place"), LinkIcon, "share url address", copyLink],
    [t("Save a picture of this view"), DownloadIcon, "share png screenshot export image", savePicture],
  ];
  if (canCopyPicture())
    acts.push([t("Copy a picture of this view"), CopyIcon, "share png screenshot image", copyPicture]);
  return acts.map(([label, icon, words, act]) => ({
    key: `share ${label}`,
    kind: t("This view"),
    icon,
    label,
    words: `${label} ${words}`,
    act,
  }));
}

/** Entries for the text, from the server too. `dagId`: the DAG that is shown, whose runs and tasks are found first. A request that fails takes its own entries away. */
export async function findEntries(
  client: QueryClient,
  typed: string,
  dagId: string | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const { verb, rest } = readVerb(typed);
  const pages =
    verb === undefined
      ? rankEntries(rest, [...listPages(client), ...listShares(), ...listSettings()]).slice(0, SHOWN_MAX)
      : [];
  if (rest === "" && verb === undefined)
    return {
      entries: [
        ...(dagId === undefined ? [] : await listActs(client, dagId)),
        ...listPlaces(dagId),
        ...listPages(client),
        ...listShares(),
      ],
      problem: "",
    };
  const found = await Promise.allSettled([
    verb === undefined && dagId !== undefined ? findTasks(client, dagId, rest) : [],
    findNames(client, rest, verb, dagId),
    verb === undefined && (dagId !== undefined || rest.length >= TEXT_MIN) ? findRuns(client, dagId, rest) : [],
    verb === undefined && rest.length >= TEXT_MIN ? findAssets(client, rest) : [],
    verb === undefined && rest.length >= TEXT_MIN ? findBaselines(client, rest) : [],
  ]);
  signal.throwIfAborted();
  const entries = [...found.flatMap((one) => (one.status === "fulfilled" ? one.value : [])), ...pages];
  const failure = found.find((one) => one.status === "rejected");
  return {
    entries: entries.filter((entry, at) => entries.findIndex((other) => other.key === entry.key) === at),
    problem: failure ? (failure.reason as Error).message : "",
  };
}

/** The other words for acts. They are words of names and pages too: they stand for the act only in front of something else. */
const OTHER_VERBS: Record<string, string> = {
  暂停: "pause",
  取消暂停: "unpause",
  启用: "unpause",
  恢复: "unpause",
  运行: "run",
  触发: "run",
  清除: "clear",
  重跑: "clear",
  重试: "clear",
  补数据: "backfill",
  trigger: "run",
  rerun: "clear",
  retry: "clear",
  resume: "unpause",
  backfill: "backfill",
};

/** The verb of the act that is typed, if it is one, and the rest. */
export function readVerb(typed: string): { verb: string | undefined; rest: string } {
  const { verb, rest } = splitVerb(typed, VERBS);
  if (verb === undefined || !(verb in OTHER_VERBS)) return { verb, rest };
  return rest === "" && verb !== "trigger"
    ? { verb: undefined, rest: typed.trim() }
    : { verb: OTHER_VERBS[verb], rest };
}

/** DAGs, or with a verb their acts, and tasks, in the order of the server: the best first, and of equal ones what ran last. */
async function findNames(
  client: QueryClient,
  text: string,
  verb: string | undefined,
  dagId: string | undefined,
): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["names", "palette", text],
    staleTime: STALE_MS,
    queryFn: () => get("/api/gnomon/v1/names", { query: { text, limit: SHOWN_MAX } }),
  });
  if (verb !== undefined)
    return (await Promise.all(found.dags.map((dag) => listActs(client, dag.dag_id))))
      .flat()
      .filter((act) => act.words === verb);
  const dags = found.dags.map((dag) => ({
    key: `dag ${dag.dag_id}`,
    kind: "DAG",
    icon: GraphIcon,
    label: dag.display_name === dag.dag_id ? dag.dag_id : `${dag.display_name} (${dag.dag_id})`,
    words: dag.dag_id,
    to: { to: "/dags/$dagId", params: { dagId: dag.dag_id }, search: {} },
  }));
  const tasks = found.tasks.map((task) => ({
    key: `task ${task.dag_id} ${task.task_id}`,
    kind: t("Task"),
    icon: CodeIcon,
    label: task.dag_id === dagId ? task.task_id : `${task.dag_id} › ${task.task_id}`,
    words: task.task_id,
    to: { to: "/dags/$dagId", params: { dagId: task.dag_id }, search: { task: task.task_id } },
  }));
  return [...dags, ...tasks];
}

async function findTasks(client: QueryClient, dagId: string, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["dag", dagId, "palette tasks"],
    staleTime: STALE_MS,
    queryFn: () => get("/api/v2/dags/{dag_id}/tasks", { path: { dag_id: dagId } }),
  });
  return rankEntries(
    text,
    found.tasks.map((task) => ({ words: task.task_id ?? "" })),
  )
    .slice(0, SHOWN_MAX)
    .map(({ words }) => ({
      key: `task ${dagId} ${words}`,
      kind: t("Task"),
      icon: CodeIcon,
      label: words,
      words,
      to: { to: "/dags/$dagId", params: { dagId }, search: { task: words } },
    }));
}

async function findRuns(client: QueryClient, dagId: string | undefined, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["runs", "palette", dagId, text],
    staleTime: STALE_MS,
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns", {
        path: { dag_id: dagId === undefined ? "~" : part(dagId) },
        query: {
          limit: SHOWN_MAX,
          run_id_pattern: toPattern(text),
          order_by: "-run_after",
        },
      }).catch((fault: unknown) => {
        // No run among thousands has this text in its id: it is the name of something else.
        if (fault instanceof ApiError && fault.status === 400) return { dag_runs: [] };
        throw fault;
      }),
  });
  return found.dag_runs.map((run) => ({
    key: `run ${run.dag_id} ${run.dag_run_id}`,
    kind: t("Run"),
    icon: HistoryIcon,
    label: `${run.dag_id} ${nameRun(run.dag_run_id, readZone())}`,
    about: run.dag_run_id,
    words: run.dag_run_id,
    to: { to: "/dags/$dagId/runs/$runId", params: { dagId: run.dag_id, runId: run.dag_run_id } },
  }));
}

async function findAssets(client: QueryClient, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({
    queryKey: ["assets", "palette", text],
    staleTime: STALE_MS,
    queryFn: () => get("/api/v2/assets", { query: { limit: SHOWN_MAX, name_pattern: toPattern(text) } }),
  });
  return found.assets.map((asset) => ({
    key: `asset ${String(asset.id)}`,
    kind: t("Asset"),
    icon: AssetIcon,
    label: asset.name,
    about: asset.uri,
    words: asset.name,
    to: { to: "/assets/$assetId", params: { assetId: String(asset.id) }, search: {} },
  }));
}

async function findBaselines(client: QueryClient, text: string): Promise<PaletteEntry[]> {
  const found = await client.fetchQuery({ ...baselinesQuery(), staleTime: STALE_MS });
  const entries = found.baselines.map(({ name, of }) => ({
    key: `baseline ${name}`,
    kind: t("Baseline"),
    icon: ClockIcon,
    label: name,
    about: of.join(", "),
    words: `${name} ${of.join(" ")}`,
    to: { to: "/baselines/$name", params: { name } },
  }));
  return rankEntries(text, entries).slice(0, SHOWN_MAX);
}

/** What was looked at last, without the DAG that is shown. */
function listPlaces(shown: string | undefined): PaletteEntry[] {
  return listRecent()
    .filter(({ dagId, runId }) => dagId !== shown || runId !== undefined)
    .map(({ dagId, runId }): PaletteEntry => ({
      key: `recent ${dagId} ${runId ?? ""}`,
      kind: t("Looked at last"),
      icon: runId === undefined ? GraphIcon : HistoryIcon,
      label: runId === undefined ? dagId : `${dagId} ${nameRun(runId, readZone())}`,
      words: dagId,
      to:
        runId === undefined
          ? { to: "/dags/$dagId", params: { dagId }, search: {} }
          : { to: "/dags/$dagId/runs/$runId", params: { dagId, runId } },
    }));
}

/** What can be done with a DAG. `words` is the verb alone. */
async function listActs(client: QueryClient, dagId: string): Promise<PaletteEntry[]> {
  if (!(await mayChange(client, dagId))) return [];
  const setPaused = async (paused: boolean) => {
    await patch("/api/v2/dags/{dag_id}", { path: { dag_id: dagId }, body: { is_paused: paused } });
    void client.invalidateQueries({ queryKey: ["dags"] });
    void client.invalidateQueries({ queryKey: ["dag", dagId] });
    return paused ? t("{dag} is paused.", { dag: dagId }) : t("{dag} is active.", { dag: dagId });
  };
  const kind = t("Act");
  return [
    {
      key: `run ${dagId}`,
      kind,
      icon: RunIcon,
      label: t("Run {dag} …", { dag: dagId }),
      words: "run",
      to: { to: "/dags/$dagId/trigger", params: { dagId }, search: {} },
    },
    {
      key: `pause ${dagId}`,
      kind,
      icon: PauseIcon,
      label: t("Pause {dag}", { dag: dagId }),
      words: "pause",
      act: () => setPaused(true),
    },
    {
      key: `unpause ${dagId}`,
      kind,
      icon: RunIcon,
      label: t("Unpause {dag}", { dag: dagId }),
      words: "unpause",
      act: () => setPaused(false),
    },
    {
      key: `backfill ${dagId}`,
      kind,
      icon: CalendarIcon,
      label: t("Backfill {dag} …", { dag: dagId }),
      words: "backfill",
      to: { to: "/dags/$dagId/backfill", params: { dagId }, search: {} },
    },
    {
      key: `clear ${dagId}`,
      kind,
      icon: AgainIcon,
      label: t("Clear the failed run of {dag} …", { dag: dagId }),
      words: "clear",
      act: () => openFailedRun(dagId),
    },
  ];
}

/** Lead to the newest failed run of the DAG, where the clear has its preview. */
async function openFailedRun(dagId: string): Promise<string> {
  const found = await get("/api/v2/dags/{dag_id}/dagRuns", {
    path: { dag_id: dagId },
    query: {
      limit: 1,
      state: ["failed"],
      order_by: "-run_after",
    },
  });
  const run = found.dag_runs[0];
  if (!run) return t("{dag} has no failed run.", { dag: dagId });
  window.location.assign(`/dags/${part(dagId)}/runs/${part(run.dag_run_id)}`);
  return "";
}
