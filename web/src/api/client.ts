/** Requests to the API of this server, typed by its document (`schema.d.ts`), and its errors as sentences. */

import { t } from "../state/language";
import { readShownLanguage } from "../state/languages";
import type { paths } from "./schema";

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Method = "get" | "post" | "patch" | "put" | "delete";
type Path<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;

/** Of a parameter that may have several values one needs no list. */
type Loose<Query> = {
  [Name in keyof Query]: Query[Name] | (NonNullable<Query[Name]> extends readonly (infer One)[] ? One : never);
};
/** The values of `{…}` in a path, and the query. */
type Places<O> = O extends { parameters: infer All }
  ? { [Name in keyof All as Name & ("path" | "query")]: Name extends "query" ? Loose<All[Name]> : All[Name] }
  : never;
/** The document counts a field with a default among those of a body that are required: here none is. */
export type Sendable<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Sendable<T[K]> } : T;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer Fields } } } ? Sendable<Fields> : never;
type BodyPart<O> = [Body<O>] extends [never]
  ? { body?: undefined }
  : O extends { requestBody: object }
    ? { body: Body<O> }
    : { body?: Body<O> };
type Options<O> = Places<O> & BodyPart<O> & { signal?: AbortSignal };
type Arguments<Given> = Partial<Given> extends Given ? [options?: Given] : [options: Given];
type Answers<O> = O extends { responses: infer All } ? All[keyof All & (200 | 201 | 202)] : never;
type Answer<O> = Answers<O> extends { content: { "application/json": infer Found } } ? Found : undefined;

interface Given {
  path?: Record<string, string | number>;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** A function that sends requests of one method. It raises ApiError; without a session the browser goes to the login. */
function requester<M extends Method>(method: M) {
  return <P extends Path<M>>(
    path: P,
    ...[options]: Arguments<Options<Operation<P, M>>>
  ): Promise<Answer<Operation<P, M>>> => {
    const given = (options ?? {}) as Given;
    return request(method.toUpperCase(), fill(path, given), given.body, given.signal);
  };
}

export const get = requester("get");
export const post = requester("post");
export const patch = requester("patch");
export const put = requester("put");
export const remove = requester("delete");

/** The address of what `get` reads. */
export function addressOf<P extends Path<"get">>(
  path: P,
  ...[options]: Arguments<Places<Operation<P, "get">>>
): string {
  return fill(path, (options ?? {}) as Given);
}

function fill(path: string, { path: values = {}, query = {} }: Given): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => part(String(values[name]))) + formatQuery(query);
}

/** An id as one part of a path. */
export function part(id: string): string {
  return encodeURIComponent(id);
}

type Query = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>;

/** What is not set, and an empty text, is no parameter; but an empty cursor asks for the first page of a list with cursors. */
export function formatQuery(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || (value === "" && name !== "cursor")) continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text ? `?${text}` : "";
}

async function request<T>(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: {
        Accept: "application/json",
        "Gnomon-Language": readShownLanguage(),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      0,
      t("The server does not answer. Check the connection and that `gnomon standalone` or the api-server runs."),
    );
  }
  if (answer.status === 401) {
    const next = encodeURIComponent(window.location.pathname + window.location.search);
    window.location.assign(`/login?ended=true&next=${next}`);
    throw new ApiError(401, t("The session has ended."));
  }
  const text = await answer.text();
  if (!answer.ok) throw new ApiError(answer.status, describeError(answer.status, text));
  return (text ? JSON.parse(text) : undefined) as T;
}

/** The sentence of an error's body; faults of fields one after another. */
export function describeError(status: number, text: string): string {
  try {
    const detail: unknown = (JSON.parse(text) as { detail?: unknown }).detail;
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail)) {
      return detail
        .map(
          (fault: { loc?: unknown[]; msg?: string }) => `${(fault.loc ?? []).slice(1).join(".")}: ${fault.msg ?? ""}`,
        )
        .join("; ");
    }
  } catch {
    // The body is not JSON: a proxy has answered.
  }
  return t("The server answered with status {status}.", { status });
}
