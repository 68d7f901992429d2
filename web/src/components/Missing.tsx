/** What a page shows in place of all its parts when there is nothing at its address: the sentence of the server, once. */

import { Link } from "@tanstack/react-router";
import { ApiError } from "../api/client";
import { t } from "../state/language";

export function isMissing(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

export function Missing({ error }: { error: ApiError }) {
  return (
    <div className="notice" role="alert">
      <p>
        <bdi>{error.message}</bdi>
      </p>
      <p>
        <Link to="/dags" search={{}}>
          {t("All DAGs")}
        </Link>
      </p>
    </div>
  );
}
