/** The answer of a query: its content, that it is being read, or what failed with a button to try again. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../state/language";

export function Answer<T>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<T>;
  what: string;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <Failure what={what} error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <Failure what={what} error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="skeleton" aria-busy="true">
      <p className="soft">{t("Reading {what} …", { what })}</p>
      <span />
      <span />
      <span />
    </div>
  );
}

export function Failure({ what, error, retry }: { what: string; error: Error; retry: () => void }) {
  return (
    <div className="notice" role="alert">
      <p>{t("Could not read {what}: {message}", { what, message: error.message })}</p>
      <button type="button" onClick={retry}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** Why the server refused a change: its own sentence. */
export function Refusal({ error }: { error: Error }) {
  return (
    <p className="notice" role="alert">
      {error.message}
    </p>
  );
}
