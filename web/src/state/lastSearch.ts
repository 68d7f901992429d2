/** The filters of each list as they were last shown in this tab: the navigation leads back to them. */

import { useEffect } from "react";

const PREFIX = "gnomon.filters.";

/** Keep the filters of the page that is shown. */
export function useKeptSearch(path: string, search: object): void {
  useEffect(() => sessionStorage.setItem(PREFIX + path, JSON.stringify(search)), [path, search]);
}

/** The filters with which the page was last shown. */
export function readLastSearch(path: string): Record<string, unknown> {
  try {
    const {
      page: _page,
      cursor: _cursor,
      ...kept
    } = JSON.parse(sessionStorage.getItem(PREFIX + path) ?? "{}") as Record<string, unknown>;
    return kept;
  } catch {
    return {};
  }
}
