/** All DAGs with their schedule and next run. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { usePause } from "../../api/changes";
import { type DagFilters, dagsQuery, PAGE_SIZE } from "../../api/queries";
import type { Dag } from "../../api/shapes";
import { Answer, Refusal } from "../../components/Answer";
import { Time } from "../../components/Time";

const TYPED_MS = 150;
const RUN_STATES = ["success", "failed", "running", "queued"];

const route = getRouteApi("/dags");

export function DagsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: DagFilters) => void navigate({ to: "/dags", search: { ...filters, page: undefined, ...some }, replace: true });
  const dags = useQuery(dagsQuery(filters));
  return (
    <>
      <h1>DAGs</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField value={filters.search ?? ""} onChange={(search) => set({ search: search || undefined })} />
        <label>Tag <input value={filters.tag ?? ""} onChange={(event) => set({ tag: event.target.value || undefined })} /></label>
        <label>Paused{" "}
          <select value={filters.paused ?? ""} onChange={(event) => set({ paused: (event.target.value || undefined) as DagFilters["paused"] })}>
            <option value="">all</option><option value="false">active</option><option value="true">paused</option>
          </select>
        </label>
        <label>Last run{" "}
          <select value={filters.state ?? ""} onChange={(event) => set({ state: event.target.value || undefined })}>
            <option value="">any state</option>
            {RUN_STATES.map((one) => <option key={one}>{one}</option>)}
          </select>
        </label>
        <label><input type="checkbox" checked={filters.errors === "true"} onChange={(event) => set({ errors: event.target.checked ? "true" : undefined })} /> import errors</label>
      </form>
      <Answer query={dags} what="the DAGs">
        {(found) => (
          <>
            <p className="soft" role="status">{found.total_entries.toLocaleString("en")} DAGs</p>
            <div className="scroll">
              <table>
                <thead><tr><th>DAG</th><th>Schedule</th><th>Next run</th><th>Owner</th><th>Tags</th><th>Active</th></tr></thead>
                <tbody>{found.dags.map((dag) => <DagRow key={dag.dag_id} dag={dag} choose={(tag) => set({ tag })} />)}</tbody>
              </table>
            </div>
            {found.dags.length === 0 && <p>No DAG fits these filters.</p>}
            <Pages page={filters.page ?? 1} total={found.total_entries} go={(page) => set({ page: page > 1 ? page : undefined })} />
          </>
        )}
      </Answer>
    </>
  );
}

function DagRow({ dag, choose }: { dag: Dag; choose: (tag: string) => void }) {
  const pause = usePause(dag.dag_id);
  return (
    <tr>
      <td>
        <Link to="/dags/$dagId" params={{ dagId: dag.dag_id }} search={{}} className="name">{dag.dag_display_name}</Link>
        {dag.has_import_errors && <span className="bad"> import error</span>}
        {pause.isError && <Refusal error={pause.error} />}
      </td>
      <td>
        {dag.timetable_summary ?? <span className="soft">none</span>}
        {dag.timetable_description && <details className="info"><summary aria-label="What the schedule means">i</summary>{dag.timetable_description}</details>}
      </td>
      <td>
        <Time at={dag.next_dagrun_run_after} />
        {dag.next_dagrun_data_interval_start && (
          <span className="soft block">for <Time at={dag.next_dagrun_data_interval_start} /> to <Time at={dag.next_dagrun_data_interval_end} /></span>
        )}
      </td>
      <td>{dag.owners.join(", ")}</td>
      <td>{dag.tags.map((tag) => <button key={tag.name} type="button" className="tag" onClick={() => choose(tag.name)}>{tag.name}</button>)}</td>
      <td>
        <input
          type="checkbox" role="switch" aria-label={`${dag.dag_id} is active`} checked={!dag.is_paused} disabled={pause.isPending}
          onChange={(event) => pause.mutate(!event.target.checked)}
        />
      </td>
    </tr>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = window.setTimeout(() => onChange(typed), TYPED_MS);
    return () => window.clearTimeout(timer);
  });
  return <label>Search <input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} placeholder="part of a DAG id" /></label>;
}

function Pages({ page, total, go }: { page: number; total: number; go: (page: number) => void }) {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (last === 1) return null;
  return (
    <nav className="pages" aria-label="Pages of the list">
      <button type="button" disabled={page <= 1} onClick={() => go(page - 1)}>Previous</button> page {page} of {last}{" "}
      <button type="button" disabled={page >= last} onClick={() => go(page + 1)}>Next</button>
    </nav>
  );
}
