/** What the pages of work and administration read. The keys begin with what a change event is about. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { part, read } from "./client";
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

const V2 = "/api/v2";
const OWN = "/api/gnomon/v1";
const QUESTIONS = `${V2}/dags/~/dagRuns/~/hitlDetails`;
export const LIST_SIZE = 100;
/** The entries of one page of a list. */
export const PAGE = 50;

/** The account of the page does not change while it is shown. */
export const meQuery = () =>
  queryOptions({ queryKey: ["me"], queryFn: () => read<Me>("/auth/me"), staleTime: Infinity });

export const triggersQuery = (dagId: string | undefined, after: number | undefined) =>
  queryOptions({
    queryKey: ["triggers", dagId, after],
    queryFn: () => read<Triggers>(`${OWN}/triggers`, { dag_id: dagId, after }),
    placeholderData: keepPreviousData,
  });

export const poolUseQuery = () =>
  queryOptions({ queryKey: ["pools", "use"], queryFn: () => read<Schemas["PoolsUseAnswer"]>(`${OWN}/pools/use`) });

export const limitsQuery = () => queryOptions({ queryKey: ["limits"], queryFn: () => read<Limits>(`${OWN}/limits`) });

/** Questions that wait: the task is deferred and nobody has answered. */
export const openQuestionsQuery = () =>
  queryOptions({
    queryKey: ["questions", "open"],
    queryFn: () =>
      read<Schemas["HITLDetailCollection"]>(QUESTIONS, {
        response_received: false,
        state: ["awaiting_input", "deferred"],
        limit: LIST_SIZE,
        order_by: "created_at",
      }),
  });

export const questionCountQuery = () =>
  queryOptions({
    queryKey: ["questions", "count"],
    queryFn: () =>
      read<Schemas["HITLDetailCollection"]>(QUESTIONS, {
        response_received: false,
        state: ["awaiting_input", "deferred"],
        limit: 1,
      }).then((found) => found.total_entries),
  });

export const answeredQuestionsQuery = (page: number) =>
  queryOptions({
    queryKey: ["questions", "answered", page],
    queryFn: () =>
      read<Schemas["HITLDetailCollection"]>(QUESTIONS, {
        response_received: true,
        ...cut(page),
        order_by: "-responded_at",
      }),
    placeholderData: keepPreviousData,
  });

export interface PoolFilters extends ListFilters {
  /** Only the pool of this name. */
  pool?: string;
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
        ? read<PoolList>(`${V2}/pools`, { ...cut(page), order_by: "name", pool_name_pattern: toPattern(search) })
        : readOnePool(pool),
    placeholderData: keepPreviousData,
  });

/** One pool as a list; an empty one when there is no such pool. */
async function readOnePool(name: string): Promise<PoolList> {
  try {
    return { pools: [await read<Pool>(poolPath(name))], total_entries: 1 };
  } catch (error) {
    if ((error as { status?: number }).status === 404) return { pools: [], total_entries: 0 };
    throw error;
  }
}

export const connectionsQuery = ({ search, page }: ListFilters) =>
  queryOptions({
    queryKey: ["connections", search, page],
    queryFn: () =>
      read<Schemas["ConnectionCollectionResponse"]>(`${V2}/connections`, {
        ...cut(page),
        order_by: "connection_id",
        connection_id_pattern: toPattern(search),
      }),
    placeholderData: keepPreviousData,
  });

export const variablesQuery = ({ search, page }: ListFilters) =>
  queryOptions({
    queryKey: ["variables", search, page],
    queryFn: () =>
      read<Schemas["VariableCollectionResponse"]>(`${V2}/variables`, {
        ...cut(page),
        order_by: "key",
        variable_key_pattern: toPattern(search),
      }),
    placeholderData: keepPreviousData,
  });

export const pluginsQuery = () =>
  queryOptions({
    queryKey: ["plugins"],
    queryFn: () => read<Schemas["PluginCollectionResponse"]>(`${V2}/plugins`, { limit: LIST_SIZE }),
  });

export const pluginErrorsQuery = () =>
  queryOptions({
    queryKey: ["plugins", "errors"],
    queryFn: () => read<Schemas["PluginImportErrorCollectionResponse"]>(`${V2}/plugins/importErrors`),
  });

export const providersQuery = () =>
  queryOptions({
    queryKey: ["providers"],
    queryFn: () => read<Schemas["ProviderCollectionResponse"]>(`${V2}/providers`, { limit: LIST_SIZE }),
  });

export const optionsQuery = () =>
  queryOptions({ queryKey: ["options"], queryFn: () => read<Schemas["OptionsAnswer"]>(`${OWN}/options`) });

export const accountsQuery = () =>
  queryOptions({ queryKey: ["accounts"], queryFn: () => read<Account[]>(`${OWN}/operations/accounts.list`) });

export const allTokensQuery = () =>
  queryOptions({ queryKey: ["tokens", "all"], queryFn: () => read<TokenRow[]>(`${OWN}/operations/tokens.list`) });

export const ownTokensQuery = () =>
  queryOptions({ queryKey: ["tokens", "own"], queryFn: () => read<Schemas["TokensAnswer"]>("/auth/tokens") });

export const sessionsQuery = (account?: string) =>
  queryOptions({
    queryKey: ["sessions", account],
    queryFn: () => read<Schemas["SessionsAnswer"]>("/auth/sessions", { account }),
  });

export interface AuditFilters {
  user?: string;
  dag?: string;
  run?: string;
  event?: string;
  /** Instants. */
  after?: string;
  before?: string;
  page?: number;
}

export const auditQuery = (filters: AuditFilters) =>
  queryOptions({
    queryKey: ["audit", filters],
    queryFn: () =>
      read<Schemas["EventLogCollectionResponse"]>(`${V2}/eventLogs`, {
        ...cut(filters.page),
        order_by: "-when",
        owner_pattern: toPattern(filters.user),
        dag_id: filters.dag,
        run_id: filters.run,
        event_pattern: toPattern(filters.event),
        after: filters.after,
        before: filters.before,
      }),
    placeholderData: keepPreviousData,
  });

export const connectionPath = (id: string) => `${V2}/connections/${part(id)}`;
export const variablePath = (key: string) => `${V2}/variables/${part(key)}`;
export const poolPath = (name: string) => `${V2}/pools/${part(name)}`;
export const operationPath = (name: string) => `${OWN}/operations/${name}`;
