/** The stream of changes: one connection for the whole page, which makes the answers stale that a change touches. */

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const ADDRESS = "/api/gnomon/v1/events";
const KINDS = ["dag_run", "task_instance", "task_instances", "dag", "import_error", "backfill", "pool", "asset_event"] as const;
const GATHER_MS = 150;
const REOPEN_MS = 3_000;
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
      return [[...dag, "grid"], [...dag, "explain"], [...dag, "next"], [...dag, "run", data.run_id], ["dags"], ["runs"], ["work"]];
    case "task_instance":
    case "task_instances":
      return [[...dag, "grid"], [...dag, "run", data.run_id], ["work"]];
    case "dag":
    case "backfill":
      return [dag, ["dags"], ["work"]];
    case "import_error":
      return [["errors"], ["dags"]];
    default:
      return [["work"]];
  }
}

/** Keep the stream open while the page is shown. Changes within 150 ms make one refresh. */
export function useLiveChanges(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    const refresh = new StaleKeys(client);
    let source: EventSource | undefined;
    let timer: number | undefined;
    let wasLost = false;
    const open = () => {
      source = new EventSource(ADDRESS);
      source.addEventListener("ready", () => {
        setConnection("live");
        if (wasLost) void client.invalidateQueries();
        wasLost = false;
      });
      source.addEventListener("reset", () => void client.invalidateQueries());
      for (const kind of KINDS) {
        source.addEventListener(kind, (event) => refresh.add(findStaleKeys(kind, JSON.parse(event.data as string) as ChangeData)));
      }
      source.onerror = () => {
        wasLost = true;
        setConnection("lost");
        if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, REOPEN_MS);
      };
    };
    open();
    return () => {
      source?.close();
      window.clearTimeout(timer);
      refresh.stop();
    };
  }, [client]);
  return connection;
}

class StaleKeys {
  private readonly client: QueryClient;
  private readonly keys = new Map<string, unknown[]>();
  private timer: number | undefined;

  constructor(client: QueryClient) {
    this.client = client;
  }

  add(keys: unknown[][]): void {
    for (const key of keys) this.keys.set(JSON.stringify(key), key);
    this.timer ??= window.setTimeout(() => this.flush(), GATHER_MS);
  }

  stop(): void {
    window.clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    for (const key of this.keys.values()) void this.client.invalidateQueries({ queryKey: key });
    this.keys.clear();
  }
}
