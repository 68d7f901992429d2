/** All DAGs with their schedule, next run, newest runs and counts. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { dagCountQuery, type DagSearch, dagOverviewsQuery, filterChoicesQuery, LIST_SIZE } from "../../api/overviews";
import { Answer } from "../../components/Answer";
import { addValue, listChips, listTextChips, removeChip, turnChip } from "../../components/filters/chipSearch";
import { AddFilter, type Chip, FilterChips } from "../../components/filters/FilterChips";
import { MoreFilters } from "../../components/filters/MoreFilters";
import { SavedViews } from "../../components/filters/SavedViews";
import { SearchField } from "../../components/SearchField";
import { t, tn } from "../../state/language";
import { useKeptSearch } from "../../state/lastSearch";
import { findDefault } from "../../state/savedViews";
import { flagFields, LAST_STATES, nameState, SORTS, valueFields } from "./dagFilters";
import { DagTable } from "./DagTable";
import "../../styles/lists.css";

const PATH = "/dags";
const route = getRouteApi(PATH);

export function DagsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  useKeptSearch(PATH, search);
  const set = (some: Record<string, unknown>, replace = false) =>
    void navigate({ to: PATH, search: { ...search, view: undefined, page: undefined, ...some } as DagSearch, replace });
  const clear = () => void navigate({ to: PATH, search: findDefault(PATH) ? { view: "all" } : {} });
  const dags = useQuery(dagOverviewsQuery(search));
  return (
    <>
      <h1>{t("DAGs")}</h1>
      <Filters search={search} set={set} clear={clear} total={dags.data?.total} />
      <Answer query={dags} what={t("the DAGs")}>
        {(found) => (
          <div aria-busy={dags.isPlaceholderData}>
            {!isFiltered(search) && (
              <p className="soft" role="status">
                {tn("{count} DAG", "{count} DAGs", found.total)}
              </p>
            )}
            {found.dags.length > 0 ? (
              <DagTable dags={found.dags} choose={(tag) => set(addValue(search, "tag", tag))} />
            ) : (
              <p>{t("No DAG fits these filters.")}</p>
            )}
            <Pages
              page={search.page ?? 1}
              total={found.total}
              go={(page) => set({ page: page > 1 ? page : undefined })}
            />
          </div>
        )}
      </Answer>
    </>
  );
}

interface FiltersProps {
  search: DagSearch;
  set: (some: Record<string, unknown>, replace?: boolean) => void;
  clear: () => void;
  /** How many DAGs fit. Undefined: the list is not shown yet; only then the values of the filters are asked for, so that they do not delay it. */
  total: number | undefined;
}

/** What holds, each with a way to take it away: also the text to search for, which is easily overlooked when one comes back to the list. */
function listHolding(search: DagSearch): Chip[] {
  return [
    ...listTextChips(search as never, [{ field: "search", label: t("Search") }]),
    ...listChips(search as never, valueFields(), flagFields()),
  ];
}

function isFiltered(search: DagSearch): boolean {
  return listHolding(search).length > 0;
}

function Filters({ search, set, clear, total }: FiltersProps) {
  const isShown = total !== undefined;
  const chips = listHolding(search);
  const all = useQuery({ ...dagCountQuery(), enabled: isShown && chips.length > 0 }).data;
  const choices = useQuery({ ...filterChoicesQuery(), enabled: isShown }).data;
  const add = (field: string) => (value: string) => set(addValue(search as never, field, value));
  const options = (of: { value: string; dags: number }[] | undefined) =>
    (of ?? []).map((one) => ({ value: one.value, count: one.dags }));
  return (
    <>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={search.search}
          placeholder={t("part of id or name")}
          onChange={(text) => set({ search: text }, true)}
        />
        <AddFilter
          label={t("Last run")}
          options={LAST_STATES.map((state) => ({ value: state, text: nameState(state) }))}
          add={add("state")}
        />
        <AddFilter label={t("Tag")} options={options(choices?.tags)} add={add("tag")} />
        <MoreFilters holds={search.sort === undefined ? 0 : 1}>
          <AddFilter label={t("Owner")} options={options(choices?.owners)} add={add("owner")} />
          <AddFilter label={t("Timetable")} options={options(choices?.schedules)} add={add("schedule")} />
          <AddFilter label={t("Folder")} options={options(choices?.folders)} add={add("folder")} />
          <AddFilter
            label={t("Only")}
            options={flagFields().map((one) => ({ value: one.field, text: one.label }))}
            add={(field) => set({ [field]: true })}
          />
          <label>
            {t("Sort by")}{" "}
            <select
              value={search.sort ?? "dag_id"}
              onChange={(event) => set({ sort: event.target.value === "dag_id" ? undefined : event.target.value })}
            >
              {SORTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {t(label)}
                </option>
              ))}
            </select>
          </label>
        </MoreFilters>
      </form>
      <div className="views-bar">
        <SavedViews path={PATH} search={search} />
      </div>
      <FilterChips
        chips={chips}
        turn={(chip) => set(turnChip(search as never, chip))}
        remove={(chip) => set(removeChip(search as never, chip))}
        clear={clear}
        lead={
          isShown && all !== undefined
            ? t("{shown} of {all} DAGs fit these filters:", {
                shown: total.toLocaleString("en"),
                all: all.toLocaleString("en"),
              })
            : t("Filters:")
        }
      />
      {(search.tag?.length ?? 0) > 1 && (
        <label className="block">
          <input
            type="checkbox"
            checked={search.mode === "all"}
            onChange={(event) => set({ mode: event.target.checked ? "all" : undefined })}
          />{" "}
          {t("with all of these tags, not only one")}
        </label>
      )}
    </>
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
