/** The answer of a query: its content, that it is being read, or what failed with a button to try again. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { t } from "../state/language";

const SET_ROLE = "gnomon users set-role";

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
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <div className="notice" role="alert">
      <p>{t("Could not read {what}: {message}", { what, message: error.message })}</p>
      {isForbidden ? (
        <p>{t("An administrator gives roles: on the page Users, or with {command}.", { command: SET_ROLE })}</p>
      ) : (
        <button type="button" onClick={retry}>
          {t("Try again")}
        </button>
      )}
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
