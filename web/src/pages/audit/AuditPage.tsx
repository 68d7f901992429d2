/** The audit log: what people and services did, with the values before and after, and from where. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { eventName, thingName } from "../../state/eventNames";
import { type AuditFilters, auditQuery, type EventRow, PAGE } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { MomentField } from "../../components/filters/ZonedFields";
import { DagLink, PlaceLinks, RunLink } from "../../components/Names";
import { PageSteps } from "../../components/PageSteps";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { useMe } from "../../state/account";
import { t } from "../../state/language";
import { Button, Segments } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { FilterIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Popover } from "../../ui/Popover";
import { SearchBox } from "../../ui/SearchBox";
import { ChangedFields } from "./ChangedFields";
import { ChangeText } from "./ChangeText";
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
  const query = useQuery(auditQuery(filters));
  const chosen = [filters.run, filters.event, filters.after, filters.before].filter((one) => one !== undefined);
  return (
    <>
      <PageHeader title={t("Audit log")} facts={<span>{t("Who changed what, when and from where")}</span>} />
      <Toolbar label={t("Controls")}>
        <Segments
          label={t("Whose entries")}
          value={isOwn ? "own" : filters.all ? "all" : "people"}
          options={[
            { value: "people", label: t("People") },
            ...(own === undefined ? [] : [{ value: "own", label: t("Only what I did") }]),
            { value: "all", label: t("People and services") },
          ]}
          choose={(whose) =>
            set({
              all: whose === "all" ? true : undefined,
              user: whose === "own" ? own : isOwn ? undefined : filters.user,
            })
          }
        />
        <SearchBox label={t("User")} value={filters.user} onChange={(user) => set({ user })} />
        <SearchBox label={t("DAG id")} value={filters.dag} onChange={(dag) => set({ dag })} />
        <Popover
          icon={FilterIcon}
          look={chosen.length > 0 ? "plain" : "quiet"}
          label={chosen.length > 0 ? t("Filters ({count} set)", { count: chosen.length }) : t("Filters")}
        >
          <SearchField label={t("Run id")} value={filters.run} onChange={(run) => set({ run })} />
          <SearchField label={t("Event")} value={filters.event} onChange={(event) => set({ event })} />
          <MomentField label={t("After|instant")} value={filters.after} onChange={(after) => set({ after })} />
          <MomentField label={t("Before|instant")} value={filters.before} onChange={(before) => set({ before })} />
        </Popover>
        {Object.keys(filters).length > 0 && (
          <Button look="quiet" onClick={() => void navigate({ to: "/audit", search: {}, replace: true })}>
            {t("Clear all filters")}
          </Button>
        )}
      </Toolbar>
      <Answer query={query} what={t("the audit log")}>
        {(answer) => (
          <>
            {answer.event_logs.length === 0 ? (
              <EmptyState
                title={t("No event fits these filters.")}
                acts={
                  !filters.all && <Button onClick={() => set({ all: true })}>{t("Show also what services did")}</Button>
                }
              />
            ) : (
              <StackTable
                label={t("Audit log")}
                headings={[t("At"), t("User"), t("Event"), t("About"), t("Change"), t("From|address")]}
                className={styles.events}
              >
                {answer.event_logs.map((one) => (
                  <Row key={one.event_log_id} one={one} />
                ))}
              </StackTable>
            )}
            {answer.searched_until ? (
              <nav className="acts" aria-label={t("Pages of the list")}>
                <span className="soft">
                  {t("Searched back to")} <Time at={answer.searched_until} />
                </span>
                <Button onClick={() => set({ before: answer.searched_until ?? undefined })}>
                  {t("Search further")}
                </Button>
              </nav>
            ) : (
              <PageSteps
                page={filters.page ?? 1}
                size={PAGE}
                total={answer.total_entries}
                go={(page) => set({ page })}
              />
            )}
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
      <td>{eventName(one.event)}</td>
      <td>
        <About one={one} />
        {change.about.map(([kind, name]) => (
          <span key={kind} className="block">
            <span className="soft">{thingName(kind)}</span> <Value isInline text={name} isCode={false} />
          </span>
        ))}
      </td>
      <td>
        <ChangedFields before={change.before} after={change.after} />
        {slots && <SkippedSlotsText slots={slots} />}
        {change.text && change.text !== one.run_id && <ChangeText text={change.text} />}
      </td>
      <td>{change.from ?? <span className="soft none">–</span>}</td>
    </tr>
  );
}

function About({ one }: { one: EventRow }) {
  const { dag_id: dagId, run_id: runId, task_id: taskId, map_index: mapIndex } = one;
  if (!dagId) return null;
  if (runId && taskId) return <PlaceLinks dagId={dagId} runId={runId} taskId={taskId} mapIndex={mapIndex} />;
  return (
    <span className={styles.about}>
      <DagLink dagId={dagId} />
      {runId && (
        <>
          {" "}
          <span aria-hidden="true">›</span> <RunLink dagId={dagId} runId={runId} />
        </>
      )}
    </span>
  );
}
