/** The stream of changes: one connection for the whole page, which makes the answers stale that a change touches. */

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";
import { readMeta } from "./meta";

const ADDRESS = "/api/gnomon/v1/events";
const KINDS = [
  "dag_run",
  "task_instance",
  "task_instances",
  "dag",
  "import_error",
  "backfill",
  "pool",
  "asset_event",
] as const;
const GATHER_MS = 150;
const COSTLY_MS = 2_000;
const REOPEN_MS = 3_000;
/** The server sends a heartbeat every 5 seconds: after this silence it does not live, whatever the connection says. */
const SILENCE_MS = 12_000;
const LOOK_MS = 2_000;
export type Connection = "connecting" | "live" | "lost";

export interface ChangeData {
  dag_id?: string;
  run_id?: string;
  task_id?: string;
}

/** The keys of the queries that a change of this kind makes stale. */
export function findStaleKeys(kind: (typeof KINDS)[number], data: ChangeData): unknown[][] {
  const dag = ["dag", data.dag_id];
  switch (kind) {
    case "dag_run":
      return [
        [...dag, "grid"],
        [...dag, "explain"],
        [...dag, "next"],
        [...dag, "newest"],
        [...dag, "run", data.run_id],
        ["backfills"],
        ["assets"],
      ];
    case "task_instance":
    case "task_instances":
      return [
        [...dag, "grid"],
        [...dag, "run", data.run_id],
      ];
    case "dag":
      return [dag, ["dagFilters"], ["dependencies"], ["assets"]];
    case "backfill":
      return [dag, ["backfills"]];
    case "asset_event":
      return [["assets"]];
    case "import_error":
      return [["errors"], ["dags"]];
    default:
      return [];
  }
}

/** The keys that a change of this kind makes stale and that are read again at most each two seconds: their answers cost the server more. */
export function findCostlyKeys(kind: (typeof KINDS)[number]): unknown[][] {
  const keys = ["work", "audit"];
  if (kind === "pool" || RUN_KINDS.has(kind)) keys.push("pools", "limits");
  if (RUN_KINDS.has(kind)) keys.push("triggers", "questions");
  if (kind === "dag_run" || kind === "dag" || kind === "backfill") keys.push("dags", "runs", "failures", "timeline");
  if (kind === "task_instance" || kind === "task_instances") keys.push("tasks");
  return (kind === "import_error" ? ["audit"] : keys).map((key) => [key]);
}

const RUN_KINDS = new Set<string>(["dag_run", "task_instance", "task_instances", "dag"]);

/** Keep the stream open while the page is shown. Changes within 150 ms make one refresh. A layout effect: the stream is asked for before the
 * answers of the view, for which a browser uses all of its few connections. The first stream begins where the server was when it sent the
 * document: a change after the first answers and before the stream is not missed. */
export function useLiveChanges(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");
  useLayoutEffect(() => {
    const refresh = new StaleKeys(client, GATHER_MS);
    const costly = new StaleKeys(client, COSTLY_MS);
    let source: EventSource | undefined;
    let timer: number | undefined;
    let wasLost = false;
    let heardAt = performance.now();
    const place = readMeta("gnomon-place");
    const hear = () => {
      heardAt = performance.now();
    };
    const open = () => {
      hear();
      source = new EventSource(place && !wasLost ? `${ADDRESS}?after=${place}` : ADDRESS);
      source.addEventListener("heartbeat", hear);
      source.addEventListener("ready", () => {
        hear();
        setConnection("live");
        if (wasLost) void client.invalidateQueries();
        wasLost = false;
      });
      source.addEventListener("reset", () => void client.invalidateQueries());
      for (const kind of KINDS) {
        source.addEventListener(kind, (event) => {
          hear();
          refresh.add(findStaleKeys(kind, JSON.parse(event.data as string) as ChangeData));
          costly.add(findCostlyKeys(kind));
        });
      }
      source.onerror = () => {
        wasLost = true;
        setConnection("lost");
        if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, REOPEN_MS);
      };
    };
    open();
    const look = window.setInterval(() => {
      if (performance.now() - heardAt < SILENCE_MS) return;
      wasLost = true;
      setConnection("lost");
      source?.close();
      open();
    }, LOOK_MS);
    return () => {
      window.clearInterval(look);
      source?.close();
      window.clearTimeout(timer);
      refresh.stop();
      costly.stop();
    };
  }, [client]);
  return connection;
}

/** Gathers keys: the first ones after a silence are refreshed 150 ms later, further ones not before `gapMs` have passed. */
class StaleKeys {
  private readonly client: QueryClient;
  private readonly gapMs: number;
  private readonly keys = new Map<string, unknown[]>();
  private timer: number | undefined;
  private flushedAt = 0;

  constructor(client: QueryClient, gapMs: number) {
    this.client = client;
    this.gapMs = gapMs;
  }

  add(keys: unknown[][]): void {
    if (keys.length === 0) return;
    for (const key of keys) this.keys.set(JSON.stringify(key), key);
    this.timer ??= window.setTimeout(
      () => this.flush(),
      Math.max(GATHER_MS, this.flushedAt + this.gapMs - performance.now()),
    );
  }

  stop(): void {
    window.clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    this.flushedAt = performance.now();
    const keys = [...this.keys.values()];
    this.keys.clear();
    for (const key of keys) {
      // An answer that is under way is waited for: changes that come faster than answers would cancel each of them.
      if (this.client.isFetching({ queryKey: key })) this.add([key]);
      else void this.client.invalidateQueries({ queryKey: key });
    }
  }
}
