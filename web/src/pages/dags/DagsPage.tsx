/** All DAGs with their schedule, next run, newest runs and counts. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { dagCountQuery, type DagSearch, dagOverviewsQuery, filterChoicesQuery, LIST_SIZE } from "../../api/overviews";
import { addValue, listChips, listTextChips } from "../../components/filters/chipSearch";
import { AddFilter, type Chip } from "../../components/filters/FilterChips";
import { PageSteps } from "../../components/PageSteps";
import { StateFacets } from "../../components/filters/StateFacets";
import { ListFrame, type SetFilters, SortField, useFilters } from "../../components/filters/ListFrame";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { readChosen } from "../../components/share/place";
import { FirstDag } from "../../components/firstDag/FirstDag";
import { EmptyState } from "../../ui/EmptyState";
import { FilterIcon } from "../../ui/icons";
import { Act } from "../../components/Act";
import { Facet } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import { ColumnsMenu } from "./ColumnsMenu";
import { FolderMenu } from "./FolderMenu";
import { SelectedDags } from "./SelectedDags";
import { flagFields, LAST_STATES, nameState, SORTS, valueFields } from "./dagFilters";
import { DagTable } from "./DagTable";

const PATH = "/dags";
const NOTHING: ReadonlySet<string> = new Set();
const route = getRouteApi(PATH);

export function DagsPage() {
  const search = route.useSearch();
  const set = useFilters(PATH, search);
  const dags = useQuery(dagOverviewsQuery(search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(readChosen(window.location.hash)));
  const chips = listHolding(search);
  const shown = dags.data;
  // Asked for when the list is there, so that they do not delay it.
  const all = useQuery({ ...dagCountQuery(), enabled: shown !== undefined && chips.length > 0 }).data;
  const choices = useQuery({ ...filterChoicesQuery(), enabled: shown !== undefined }).data;
  const values = (field: "tag" | "owner" | "schedule", label: string, of: Choice[] | undefined) => (
    <AddFilter
      label={label}
      options={(of ?? []).map((one) => ({ value: one.value, count: one.dags }))}
      add={(value) => set(addValue(search, field, value))}
    />
  );
  const select = (dagIds: readonly string[], isSelected: boolean) =>
    setSelected((before) => {
      const changed = new Set(before);
      for (const dagId of dagIds) {
        if (isSelected) changed.add(dagId);
        else changed.delete(dagId);
      }
      return changed;
    });
  const total = shown?.total;
  return (
    <ListFrame
      title={t("DAGs")}
      path={PATH}
      search={search}
      set={set}
      chips={chips}
      count={
        total !== undefined &&
        (chips.length === 0
          ? formatCount(total)
          : all !== undefined && t("{shown} of {all}", { shown: total, all: all }))
      }
      fields={
        <SearchBox
          label={t("Search")}
          value={search.search}
          placeholder={t("part of id or name")}
          onChange={(text) => set({ search: text }, true)}
        />
      }
      facets={
        <>
          <StateFacets
            search={search}
            set={set}
            states={LAST_STATES.filter((state) => !shown || shown.states[state] || search.state?.includes(state))}
            nameOf={nameState}
            counts={shown?.states}
          />
          <Facet
            label={t("paused")}
            count={shown?.paused}
            isChosen={search.paused === true}
            toggle={() => set({ paused: search.paused === true ? undefined : true })}
          />
        </>
      }
      filters={
        <>
          {values("tag", t("Tag"), choices?.tags)}
          {values("owner", t("Owner"), choices?.owners)}
          {values("schedule", t("Timetable"), choices?.schedules)}
          <AddFilter
            label={t("Only")}
            options={flagFields().map((one) => ({ value: one.field, text: one.label }))}
            add={(field) => set({ [field]: true })}
          />
        </>
      }
      display={
        <>
          <FolderMenu
            folders={choices?.folders}
            chosen={search.folder ?? []}
            choose={(path) => set({ folder: path === undefined ? undefined : [path], folder_not: undefined })}
          />
          <SortField sorts={SORTS} sort={search.sort} set={set} />
          <ColumnsMenu />
        </>
      }
      below={<TagMode search={search} set={set} />}
      query={dags}
      what={t("the DAGs")}
      list={(found) => (
        <>
          {found.dags.length > 0 ? (
            <DagTable
              dags={found.dags}
              choose={(tag) => set(addValue(search, "tag", tag))}
              selected={selected}
              select={select}
            />
          ) : chips.length > 0 ? (
            <EmptyState icon={FilterIcon} title={t("No DAG fits these filters.")} />
          ) : (
            <FirstDag />
          )}
          <PageSteps page={search.page ?? 1} size={LIST_SIZE} total={found.total} go={(page) => set({ page })} />
          <Act needs="edit DAG">
            <SelectedDags
              dagIds={found.dags.map((dag) => dag.dag_id).filter((dagId) => selected.has(dagId))}
              clear={() => setSelected(NOTHING)}
            />
          </Act>
        </>
      )}
    />
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
