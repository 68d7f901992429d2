/** All DAGs with their schedule, next run, newest runs and counts. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { dagCountQuery, type DagSearch, dagOverviewsQuery, filterChoicesQuery, LIST_SIZE } from "../../api/overviews";
import { addValue, listChips, listTextChips } from "../../components/filters/chipSearch";
import { AddFilter, type Chip } from "../../components/filters/FilterChips";
import { ListFrame, type SetFilters, SortField, useFilters } from "../../components/filters/ListFrame";
import { SearchField } from "../../components/SearchField";
import { t, tn } from "../../state/language";
import { flagFields, LAST_STATES, nameState, SORTS, valueFields } from "./dagFilters";
import { DagTable } from "./DagTable";

const PATH = "/dags";
const route = getRouteApi(PATH);

export function DagsPage() {
  const search = route.useSearch();
  const set = useFilters(PATH, search);
  const dags = useQuery(dagOverviewsQuery(search));
  const chips = listHolding(search);
  const total = dags.data?.total;
  // Asked for when the list is there, so that they do not delay it.
  const all = useQuery({ ...dagCountQuery(), enabled: total !== undefined && chips.length > 0 }).data;
  const choices = useQuery({ ...filterChoicesQuery(), enabled: total !== undefined }).data;
  const values = (field: "tag" | "owner" | "schedule" | "folder", label: string, of: Choice[] | undefined) => (
    <AddFilter
      label={label}
      options={(of ?? []).map((one) => ({ value: one.value, count: one.dags }))}
      add={(value) => set(addValue(search, field, value))}
    />
  );
  return (
    <ListFrame
      title={t("DAGs")}
      path={PATH}
      search={search}
      set={set}
      chips={chips}
      counted={
        total !== undefined && all !== undefined
          ? t("{shown} of {all} DAGs fit these filters:", {
              shown: total.toLocaleString("en"),
              all: all.toLocaleString("en"),
            })
          : undefined
      }
      fields={
        <>
          <SearchField
            label={t("Search")}
            value={search.search}
            placeholder={t("part of id or name")}
            onChange={(text) => set({ search: text }, true)}
          />
          <AddFilter
            label={t("Last run")}
            options={LAST_STATES.map((state) => ({ value: state, text: nameState(state) }))}
            add={(state) => set(addValue(search, "state", state))}
          />
          {values("tag", t("Tag"), choices?.tags)}
        </>
      }
      more={
        <>
          {values("owner", t("Owner"), choices?.owners)}
          {values("schedule", t("Timetable"), choices?.schedules)}
          {values("folder", t("Folder"), choices?.folders)}
          <AddFilter
            label={t("Only")}
            options={flagFields().map((one) => ({ value: one.field, text: one.label }))}
            add={(field) => set({ [field]: true })}
          />
          <SortField sorts={SORTS} sort={search.sort} set={set} />
        </>
      }
      moreFields={["sort"]}
      below={<TagMode search={search} set={set} />}
      query={dags}
      what={t("the DAGs")}
    >
      {(found) => (
        <>
          {chips.length === 0 && (
            <p className="soft" role="status">
              {tn("{count} DAG", "{count} DAGs", found.total)}
            </p>
          )}
          {found.dags.length > 0 ? (
            <DagTable dags={found.dags} choose={(tag) => set(addValue(search, "tag", tag))} />
          ) : (
            <p>
              {chips.length > 0
                ? t("No DAG fits these filters.")
                : t("There is no DAG yet. Put a DAG file into the DAG folder: it is listed here a moment later.")}
            </p>
          )}
          <Pages
            page={search.page ?? 1}
            total={found.total}
            go={(page) => set({ page: page > 1 ? page : undefined })}
          />
        </>
      )}
    </ListFrame>
  );
}

interface Choice {
  value: string;
  dags: number;
}

/** What holds, each with a way to take it away: also the text to search for, which is easily overlooked when one comes back to the list. */
function listHolding(search: DagSearch): Chip[] {
  return [
    ...listTextChips(search, [{ field: "search", label: t("Search") }]),
    ...listChips(search, valueFields(), flagFields()),
  ];
}

/** Whether a DAG must have all of several tags. */
function TagMode({ search, set }: { search: DagSearch; set: SetFilters<DagSearch> }) {
  if ((search.tag?.length ?? 0) < 2) return null;
  return (
    <label className="block">
      <input
        type="checkbox"
        checked={search.mode === "all"}
        onChange={(event) => set({ mode: event.target.checked ? "all" : undefined })}
      />{" "}
      {t("with all of these tags, not only one")}
    </label>
  );
}

function Pages({ page, total, go }: { page: number; total: number; go: (page: number) => void }) {
  const last = Math.max(1, Math.ceil(total / LIST_SIZE));
  if (last === 1) return null;
  return (
    <nav className="pages" aria-label={t("Pages of the list")}>
      <button type="button" disabled={page <= 1} onClick={() => go(page - 1)}>
        {t("Previous")}
      </button>{" "}
      {t("page {page} of {last}", { page, last })}{" "}
      <button type="button" disabled={page >= last} onClick={() => go(page + 1)}>
        {t("Next")}
      </button>
    </nav>
  );
}
