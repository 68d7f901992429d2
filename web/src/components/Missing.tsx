/** What a page shows in place of all its parts when there is nothing at its address: the sentence of the server, once. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { t } from "../state/language";
import { buttonClass } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { SearchIcon } from "../ui/icons";

export function isMissing(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** What is missing in large words; its remedy below, if it is one of the page and not a command. `nearest`: a link to what is there, the DAG of a run or the run of a task. */
export function Missing({ error, nearest }: { error: ApiError; nearest?: ReactNode }) {
  const [what = "", remedy] = error.message.split(/[;；]\s*/, 2);
  return (
    <div role="alert">
      <EmptyState
        icon={SearchIcon}
        title={<bdi>{what}</bdi>}
        acts={
          <>
            {nearest}
            <Link to="/dags" search={{}} className={buttonClass(nearest ? "plain" : "primary")}>
              {t("All DAGs")}
            </Link>
          </>
        }
      >
        {remedy && !remedy.includes("`") && <bdi>{remedy}</bdi>}
      </EmptyState>
    </div>
  );
}
