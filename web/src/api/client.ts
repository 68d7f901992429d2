/** Requests to the API of this server, and its errors as sentences. */

import { t } from "../state/language";

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

/** The answer of a read. Raises ApiError; without a session the browser goes to the login. `kept`: parameters that are sent although they are empty. */
export function read<T>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
  kept: readonly string[] = [],
): Promise<T> {
  return request<T>("GET", path + formatQuery(query, kept), undefined, signal);
}

/** The answer of a change. Raises ApiError. */
export function change<T>(method: "POST" | "PATCH" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  return request<T>(method, path, body);
}

/** An id as one part of a path. */
export function part(id: string): string {
  return encodeURIComponent(id);
}

export function formatQuery(query: Query, kept: readonly string[] = []): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || (value === "" && !kept.includes(name))) continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text ? `?${text}` : "";
}

async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
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
    window.location.assign(`/login?next=${encodeURIComponent(window.location.pathname + window.location.search)}`);
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
