/** Who did what to a DAG and its runs, newest first; the filters are in the address. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { eventName } from "../../../state/eventNames";
import { type AuditFilters, auditQuery } from "../../../api/plans";
import type { AuditRow } from "../../../api/shapes";
import { Failure } from "../../../components/Answer";
import { RunLink } from "../../../components/Names";
import { MomentField } from "../../../components/filters/ZonedFields";
import { isState } from "../../../components/StateBadge";
import { Sentence } from "../../../components/Sentences";
import { StackTable } from "../../../components/StackTable";
import { Time } from "../../../components/Time";
import { t } from "../../../state/language";
import { FilterIcon } from "../../../ui/icons";
import { Toolbar } from "../../../ui/PageHeader";
import { Popover } from "../../../ui/Popover";
import { SearchBox } from "../../../ui/SearchBox";
import { ChangedFields } from "../../audit/ChangedFields";
import { ChangeText } from "../../audit/ChangeText";
import { readSkippedSlots } from "../../audit/eventBody";
import { SkippedSlotsText } from "../../audit/SkippedSlotsText";

const route = getRouteApi("/dags/$dagId/audit");

export function AuditPage() {
  const { dagId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: AuditFilters) =>
    void navigate({
      to: "/dags/$dagId/audit",
      params: { dagId },
      search: { ...filters, ...some },
      replace: true,
      resetScroll: false,
    });
  const found = useInfiniteQuery(auditQuery(dagId, filters));
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  const text = (name: "event" | "by" | "run", label: string, hint: string) => (
    <SearchBox
      label={label}
      value={filters[name]}
      placeholder={`${label}: ${hint}`}
      onChange={(text) => set({ [name]: text })}
    />
  );
  const isTimed = filters.from !== undefined || filters.to !== undefined;
  return (
    <section>
      <Toolbar label={t("Controls")}>
        {text("event", t("Event"), t("part of its name"))}
        {text("by", t("By"), t("part of a name"))}
        {text("run", t("Run"), t("a run id"))}
        <Popover icon={FilterIcon} look={isTimed ? "plain" : "quiet"} label={t("Filters")}>
          <MomentField label={t("From")} value={filters.from} onChange={(from) => set({ from })} />
          <MomentField label={t("To")} value={filters.to} onChange={(to) => set({ to })} />
        </Popover>
      </Toolbar>
      {found.isError && <Failure what={t("the audit log")} error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && (
        <p className="soft" aria-busy="true">
          {t("Reading {what} …", { what: t("the audit log") })}
        </p>
      )}
      {found.data && rows.length === 0 && <p>{t("No row fits.")}</p>}
      {rows.length > 0 && (
        <StackTable
          label={t("Audit log")}
          headings={[t("When"), t("What"), t("By"), t("About"), t("Before and after")]}
        >
          {rows.map((row) => (
            <Row key={row.id} dagId={dagId} row={row} />
          ))}
        </StackTable>
      )}
      {found.hasNextPage && (
        <button type="button" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t("Older rows")}
        </button>
      )}
    </section>
  );
}

function Row({ dagId, row }: { dagId: string; row: AuditRow }) {
  const slots = readSkippedSlots(row.event, row.text);
  return (
    <tr>
      <td>
        <Time at={row.at} />
      </td>
      <td>{eventName(row.event)}</td>
      <td>
        <span className="name">{row.by}</span>
        {row.from && <span className="soft block">{t("from {address}", { address: row.from })}</span>}
      </td>
      <td>
        {row.run_id && <RunLink dagId={dagId} runId={row.run_id} />}
        {row.task_id && (
          <span className="block name">
            {row.task_id}
            {row.map_index === null ? "" : ` [${row.map_index}]`}
          </span>
        )}
      </td>
      <td>
        <ChangedFields before={row.before} after={row.after} />
        {slots ? (
          <SkippedSlotsText slots={slots} />
        ) : (
          row.text &&
          row.text !== row.run_id &&
          (row.event === "backfill_created" || isState(row.text) ? (
            <ChangeText text={row.text} />
          ) : (
            <Sentence text={row.text} spans={row.spans[row.text]} />
          ))
        )}
      </td>
    </tr>
  );
}
