/**
 * Named filters of lists. They belong to the account; without accounts they are kept in this browser. One view of a page can be the default: the list opens with it when its address has no
 * filters. Views that the browser has from a time without accounts are moved to the account.
 */

import { useSyncExternalStore } from "react";
import { get, put, remove } from "../api/client";
import { t } from "./language";
import { readMeta } from "./meta";
import { showToast } from "./toasts";
import { groupRecords, planMove, type SavedView, sortViews, toRecord, type ViewsByPage } from "./viewRecords";

export type { SavedView } from "./viewRecords";

const PREFIX = "gnomon.views.";
const NONE: readonly SavedView[] = [];
let kept: ViewsByPage = new Map();
/** What loads, or has loaded, the views. */
let loading: Promise<void> | undefined;
/** The changes that are sent, one after the other: a later one must not be overtaken by an earlier one. */
let sent: Promise<unknown> = Promise.resolve();
const listeners = new Set<() => void>();

export function useSavedViews(path: string): readonly SavedView[] {
  return useSyncExternalStore(subscribe, () => readViews(path));
}

/** Whether views belong to an account: others are kept in this browser. */
export function hasAccountViews(): boolean {
  return readMeta("gnomon-user") !== "";
}

/** Read the views once; a message says why they cannot be read, and the next call tries again. */
export function loadViews(): Promise<void> {
  loading ??= hasAccountViews()
    ? loadOfAccount()
    : Promise.resolve(show(new Map(listBrowserPages().map((page) => [page, readBrowser(page)]))));
  return loading;
}

function readViews(path: string): readonly SavedView[] {
  return kept.get(path) ?? NONE;
}

/** The filters with which the list opens; undefined: none. */
export function findDefault(path: string): Record<string, unknown> | undefined {
  return readViews(path).find((one) => one.isDefault)?.search;
}

/** Keep a view under its name; one with that name is replaced. False: it is not kept, and a message says why. */
export function saveView(path: string, view: SavedView): Promise<boolean> {
  const others = readViews(path)
    .filter((one) => one.name !== view.name)
    .map((one) => (view.isDefault ? { ...one, isDefault: false } : one));
  return apply(path, sortViews([...others, view]), () => put("/auth/me/views", { body: toRecord(path, view) }));
}

/** False: the view is still there, and a message says why. */
export function deleteView(path: string, name: string): Promise<boolean> {
  return apply(
    path,
    readViews(path).filter((one) => one.name !== name),
    () => remove("/auth/me/views", { query: { page: path, name } }),
  );
}

/** Make a view the default, or with undefined none. */
export async function chooseDefault(path: string, name: string | undefined): Promise<void> {
  const before = readViews(path).find((one) => (name === undefined ? one.isDefault : one.name === name));
  if (before) await saveView(path, { ...before, isDefault: name !== undefined });
}

/** Show the change at once, and send it; if the server refuses it, show what the server has. */
async function apply(path: string, views: readonly SavedView[], send: () => Promise<unknown>): Promise<boolean> {
  show(new Map(kept).set(path, views));
  try {
    if (hasAccountViews()) {
      const own = sent.then(send);
      sent = own.catch(() => undefined);
      await own;
    } else localStorage.setItem(PREFIX + path, JSON.stringify(views));
    return true;
  } catch (error) {
    say(t("The views are not changed: {reason}", { reason: (error as Error).message }));
    loading = undefined;
    await loadViews();
    return false;
  }
}

async function loadOfAccount(): Promise<void> {
  try {
    await readAccount();
  } catch (error) {
    loading = undefined;
    say(t("The views of your account cannot be read: {reason}", { reason: (error as Error).message }));
    return;
  }
  try {
    await moveViews();
  } catch (error) {
    say(
      t("The views of this browser could not be moved to your account: {reason}", { reason: (error as Error).message }),
    );
  }
}

async function readAccount(): Promise<void> {
  show(groupRecords((await get("/auth/me/views")).views));
}

/** Give the account the views of this browser, which keeps those of a page until all of them are moved. */
async function moveViews(): Promise<void> {
  const pages = listBrowserPages();
  if (pages.length === 0) return;
  try {
    for (const page of pages) {
      for (const record of planMove(page, readViews(page), readBrowser(page)))
        await put("/auth/me/views", { body: record });
      localStorage.removeItem(PREFIX + page);
    }
  } finally {
    await readAccount();
  }
}

function listBrowserPages(): string[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => key.slice(PREFIX.length));
}

function readBrowser(page: string): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(PREFIX + page) ?? "[]");
    return Array.isArray(found)
      ? (found as SavedView[]).filter((one) => typeof one?.name === "string" && typeof one.search === "object")
      : NONE;
  } catch {
    return NONE;
  }
}

function say(text: string): void {
  showToast(text, undefined, true, "views");
}

function show(changed: ViewsByPage): void {
  kept = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
