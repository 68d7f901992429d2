/** A named view of a list as the server keeps it, and the views of a browser that its account gets. */

import { defaultParseSearch, defaultStringifySearch } from "@tanstack/react-router";
import type { components } from "../api/schema";

export interface SavedView {
  name: string;
  search: Record<string, unknown>;
  isDefault?: boolean;
}

export type ViewRecord = components["schemas"]["ViewAnswer"];
export type ViewsByPage = ReadonlyMap<string, readonly SavedView[]>;

const NAME_MAX = 100;

export function toRecord(page: string, view: SavedView): ViewRecord {
  return {
    page,
    name: view.name,
    query: defaultStringifySearch(view.search).replace(/^\?/, ""),
    is_default: Boolean(view.isDefault),
  };
}

export function groupRecords(records: readonly ViewRecord[]): ViewsByPage {
  const found = new Map<string, SavedView[]>();
  for (const { page, name, query, is_default } of records) {
    const views = found.get(page) ?? [];
    found.set(page, views);
    views.push({ name, search: defaultParseSearch(query) as Record<string, unknown>, isDefault: is_default });
  }
  return new Map([...found].map(([page, views]) => [page, sortViews(views)]));
}

export function sortViews(views: readonly SavedView[]): SavedView[] {
  return views.toSorted((a, b) => a.name.localeCompare(b.name));
}

/**
 * The views of a page that a browser has and its account has not, as the account gets them: a name that another view of the account has gets a number, and a default stays the default if
 * the account has none for the page.
 */
export function planMove(page: string, ofAccount: readonly SavedView[], ofBrowser: readonly SavedView[]): ViewRecord[] {
  const taken = new Map(ofAccount.map((one) => [one.name, toRecord(page, one).query]));
  let hasDefault = ofAccount.some((one) => one.isDefault);
  return ofBrowser.flatMap((view) => {
    const record = toRecord(page, view);
    const base = view.name.slice(0, NAME_MAX - 4);
    let name = view.name.slice(0, NAME_MAX);
    for (let number = 2; taken.has(name) && taken.get(name) !== record.query; number += 1) name = `${base} ${number}`;
    if (taken.has(name)) return [];
    taken.set(name, record.query);
    const isDefault = record.is_default && !hasDefault;
    hasDefault ||= isDefault;
    return [{ ...record, name, is_default: isDefault }];
  });
}
