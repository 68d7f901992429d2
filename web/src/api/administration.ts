/** What the pages of work and administration read. The keys begin with what a change event is about. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { toPattern } from "./queries";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Me = Schemas["MeAnswer"];
export type Triggers = Schemas["TriggersAnswer"];
export type TriggerWait = Schemas["TriggerWaitAnswer"];
export type Pool = Schemas["PoolResponse"];
export type PoolUse = Schemas["PoolUseAnswer"];
export type Limits = Schemas["LimitsAnswer"];
export type LimitUse = Schemas["LimitUseAnswer"];
export type Question = Schemas["HITLDetailAnswer"];
export type Connection = Schemas["ConnectionResponse"];
export type Variable = Schemas["VariableResponse"];
export type Option = Schemas["OptionAnswer"];
export type Account = Schemas["AccountRow"];
export type TokenRow = Schemas["TokenRow"];
export type EventRow = Schemas["EventLogResponse"];

export const LIST_SIZE = 100;
/** The entries of one page of a list. */
export const PAGE = 50;

/** The account of the page does not change while it is shown. */
export const meQuery = () => queryOptions({ queryKey: ["me"], queryFn: () => get("/auth/me"), staleTime: Infinity });

/** The role of the account on a DAG, which a grant may give. */
export const dagRoleQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["me", "role", dagId],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/role", { path: { dag_id: dagId } }).then((found) => found.role),
    staleTime: Infinity,
  });

export const triggersQuery = (dagId: string | undefined, after: number | undefined) =>
  queryOptions({
    queryKey: ["triggers", dagId, after],
    queryFn: () => get("/api/gnomon/v1/triggers", { query: { dag_id: dagId, after } }),
    placeholderData: keepPreviousData,
  });

export const poolUseQuery = () =>
  queryOptions({ queryKey: ["pools", "use"], queryFn: () => get("/api/gnomon/v1/pools/use") });

export const limitsQuery = () => queryOptions({ queryKey: ["limits"], queryFn: () => get("/api/gnomon/v1/limits") });

/** Questions that wait: the task is deferred and nobody has answered. */
export const openQuestionsQuery = () =>
  queryOptions({
    queryKey: ["questions", "open"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
        path: { dag_id: "~", dag_run_id: "~" },
        query: {
          response_received: false,
          state: ["awaiting_input", "deferred"],
          limit: LIST_SIZE,
          order_by: "created_at",
        },
      }),
  });

export const questionCountQuery = () =>
  queryOptions({
    queryKey: ["questions", "count"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
        path: { dag_id: "~", dag_run_id: "~" },
        query: {
          response_received: false,
          state: ["awaiting_input", "deferred"],
          limit: 1,
        },
      }).then((found) => found.total_entries),
  });

export const answeredQuestionsQuery = (page: number) =>
  queryOptions({
    queryKey: ["questions", "answered", page],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
        path: { dag_id: "~", dag_run_id: "~" },
        query: {
          response_received: true,
          ...cut(page),
          order_by: "-responded_at",
        },
      }),
    placeholderData: keepPreviousData,
  });

export interface PoolFilters extends ListFilters {
  /** Only the pool of this name. */
  pool?: string;
  /** The pool whose holders and waiters are shown. */
  open?: string;
}

export interface ListFilters {
  search?: string;
  page?: number;
}

const cut = (page: number | undefined) => ({ limit: PAGE, offset: ((page ?? 1) - 1) * PAGE });

/** The part of a list that is read as a whole: what contains the text, and of that the page. */
export function choosePart<T>(
  all: readonly T[],
  { search, page }: ListFilters,
  words: (one: T) => string,
): { shown: T[]; total: number } {
  const wanted = (search ?? "").toLowerCase();
  const found = all.filter((one) => words(one).toLowerCase().includes(wanted));
  return { shown: found.slice(((page ?? 1) - 1) * PAGE, (page ?? 1) * PAGE), total: found.length };
}

export type PoolList = Schemas["PoolCollectionResponse"];

export const poolsQuery = ({ search, page, pool }: PoolFilters) =>
  queryOptions({
    queryKey: ["pools", "list", search, page, pool],
    queryFn: () =>
      pool === undefined
        ? get("/api/v2/pools", { query: { ...cut(page), order_by: "name", pool_name_pattern: toPattern(search) } })
        : readOnePool(pool),
    placeholderData: keepPreviousData,
  });

/** One pool as a list; an empty one when there is no such pool. */
async function readOnePool(name: string): Promise<PoolList> {
  try {
    return { pools: [await get("/api/v2/pools/{pool_name}", { path: { pool_name: name } })], total_entries: 1 };
  } catch (error) {
    if ((error as { status?: number }).status === 404) return { pools: [], total_entries: 0 };
    throw error;
  }
}

export const connectionsQuery = ({ search, page }: ListFilters) =>
  queryOptions({
    queryKey: ["connections", search, page],
    queryFn: () =>
      get("/api/v2/connections", {
        query: {
          ...cut(page),
          order_by: "connection_id",
          connection_id_pattern: toPattern(search),
        },
      }),
    placeholderData: keepPreviousData,
  });

export const variablesQuery = ({ search, page }: ListFilters) =>
  queryOptions({
    queryKey: ["variables", search, page],
    queryFn: () =>
      get("/api/v2/variables", {
        query: {
          ...cut(page),
          order_by: "key",
          variable_key_pattern: toPattern(search),
        },
      }),
    placeholderData: keepPreviousData,
  });

export const pluginsQuery = () =>
  queryOptions({
    queryKey: ["plugins"],
    queryFn: () => get("/api/v2/plugins", { query: { limit: LIST_SIZE } }),
  });

export const pluginErrorsQuery = () =>
  queryOptions({
    queryKey: ["plugins", "errors"],
    queryFn: () => get("/api/v2/plugins/importErrors"),
  });

export const providersQuery = () =>
  queryOptions({
    queryKey: ["providers"],
    queryFn: () => get("/api/v2/providers", { query: { limit: LIST_SIZE } }),
  });

export const optionsQuery = () => queryOptions({ queryKey: ["options"], queryFn: () => get("/api/gnomon/v1/options") });

export const accountsQuery = () =>
  queryOptions({ queryKey: ["accounts"], queryFn: () => get("/api/gnomon/v1/operations/accounts.list") });

export const allTokensQuery = () =>
  queryOptions({ queryKey: ["tokens", "all"], queryFn: () => get("/api/gnomon/v1/operations/tokens.list") });

export const ownTokensQuery = () => queryOptions({ queryKey: ["tokens", "own"], queryFn: () => get("/auth/tokens") });

export const sessionsQuery = (account?: string) =>
  queryOptions({
    queryKey: ["sessions", account],
    queryFn: () => get("/auth/sessions", { query: { account } }),
  });

export type AuditFilters = {
  user?: string;
  dag?: string;
  run?: string;
  event?: string;
  /** Instants. */
  after?: string;
  before?: string;
  /** Also what services did by themselves. */
  all?: boolean;
  page?: number;
};

export const auditQuery = (filters: AuditFilters) =>
  queryOptions({
    queryKey: ["audit", filters],
    queryFn: () =>
      get("/api/v2/eventLogs", {
        query: {
          ...cut(filters.page),
          order_by: "-when",
          owner_pattern: toPattern(filters.user),
          dag_id: filters.dag,
          run_id: filters.run,
          event_pattern: toPattern(filters.event),
          after: filters.after,
          before: filters.before,
          by_people: filters.all ? undefined : true,
        },
      }),
    placeholderData: keepPreviousData,
  });
