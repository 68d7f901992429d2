/** The audit log: what people and services did, with the values before and after, and from where. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type AuditFilters, auditQuery, type EventRow, PAGE } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { MomentField } from "../../components/filters/ZonedFields";
import { DagLink, RunLink, TaskLink } from "../../components/Names";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { useMe } from "../../state/account";
import { t } from "../../state/language";
import { describeChange, readSkippedSlots } from "./eventBody";
import { SkippedSlotsText } from "./SkippedSlotsText";
import styles from "./audit.module.css";

const route = getRouteApi("/audit");

export function AuditPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: AuditFilters) =>
    void navigate({ to: "/audit", search: { ...filters, page: undefined, ...some }, replace: true });
  const own = useMe()?.account;
  const isOwn = own !== undefined && filters.user === own;
  return (
    <>
      <h1>{t("Audit log")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        {own !== undefined && (
          <button type="button" aria-pressed={isOwn} onClick={() => set({ user: isOwn ? undefined : own })}>
            {t("Only what I did")}
          </button>
        )}
        <SearchField label={t("User")} value={filters.user} onChange={(user) => set({ user })} />
        <SearchField label={t("DAG id")} value={filters.dag} onChange={(dag) => set({ dag })} />
        <SearchField label={t("Run id")} value={filters.run} onChange={(run) => set({ run })} />
        <SearchField label={t("Event")} value={filters.event} onChange={(event) => set({ event })} />
        <MomentField label={t("After|instant")} value={filters.after} onChange={(after) => set({ after })} />
        <MomentField label={t("Before|instant")} value={filters.before} onChange={(before) => set({ before })} />
      </form>
      <Answer query={useQuery(auditQuery(filters))} what={t("the audit log")}>
        {(found) => (
          <>
            {found.event_logs.length === 0 ? (
              <p>{t("No event fits these filters.")}</p>
            ) : (
              <StackTable
                label={t("Audit log")}
                headings={[t("At"), t("User"), t("Event"), t("About"), t("Change"), t("From|address")]}
                className={styles.events}
              >
                {found.event_logs.map((one) => (
                  <Row key={one.event_log_id} one={one} />
                ))}
              </StackTable>
            )}
            <PageButtons
              page={filters.page ?? 1}
              size={PAGE}
              total={found.total_entries}
              go={(page) => set({ page })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

function Row({ one }: { one: EventRow }) {
  const slots = readSkippedSlots(one.event, one.extra);
  const change = describeChange(slots ? undefined : one.extra);
  return (
    <tr>
      <td>
        <Time at={one.when} />
      </td>
      <td>
        <span className="name">{one.owner}</span>
      </td>
      <td>{one.event.replaceAll("_", " ")}</td>
      <td>
        {one.dag_id && <DagLink dagId={one.dag_id} />}
        {one.dag_id && one.run_id && (
          <span className="block">
            <RunLink dagId={one.dag_id} runId={one.run_id} />
          </span>
        )}
        {one.dag_id && one.run_id && one.task_id && (
          <span className="block">
            <TaskLink dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />
          </span>
        )}
        {change.about && <Value text={change.about} isCode={false} />}
      </td>
      <td>
        {change.before !== undefined && <Value label={t("before:")} text={change.before} />}
        {change.after !== undefined && <Value label={t("after:")} text={change.after} />}
        {slots && <SkippedSlotsText slots={slots} />}
        {change.text && change.text !== one.run_id && <Value text={change.text} isCode={false} />}
      </td>
      <td>{change.from ?? <span className="soft">–</span>}</td>
    </tr>
  );
}
