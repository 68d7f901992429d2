/** The header of all views of a DAG: its name and switch, when it ran and runs next, the button that runs it, its tabs. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePause } from "../../api/changes";
import { dagFactsQuery } from "../../api/dagViews";
import { dagQuery } from "../../api/queries";
import type { DagOverview } from "../../api/shapes";
import { Act } from "../../components/Act";
import { Ago } from "../../components/Ago";
import { Failure, Refusal } from "../../components/Answer";
import { cutText } from "../../components/LongText";
import { Sentence } from "../../components/Sentences";
import { stateName } from "../../components/StateBadge";
import { StateDot } from "../../components/StateDot";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { useZone } from "../../state/times";
import { zoneName } from "../../state/zonedTimes";
import { buttonClass } from "../../ui/Button";
import {
  AssetIcon,
  CodeIcon,
  GraphIcon,
  HistoryIcon,
  ListIcon,
  NoteIcon,
  RunIcon,
  TurnIcon,
  WarningIcon,
} from "../../ui/icons";
import { Menu, MenuGroup, MenuItem } from "../../ui/Menu";
import { PageHeader } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { Switch } from "../../ui/Switch";
import { TabLinks } from "../../ui/Tabs";
import { CopyName } from "./CopyName";
import { TABS } from "./dagTabs";
import styles from "./dag.module.css";

export function DagHeader({ dagId }: { dagId: string }) {
  const dag = useQuery(dagQuery(dagId));
  const facts = useQuery(dagFactsQuery(dagId)).data;
  const pause = usePause(dagId);
  const isNarrow = useNarrow();
  const isPaused = dag.data?.is_paused;
  return (
    <>
      <PageHeader
        isLow
        path={
          !isNarrow && (
            <Link to="/dags" search={{}}>
              {t("DAGs")}
            </Link>
          )
        }
        title={dagId}
        state={
          <>
            <CopyName name={dagId} />
            {isPaused !== undefined && (
              <Act dagId={dagId}>
                <Switch
                  label={t("{dag} is active", { dag: dagId })}
                  checked={!isPaused}
                  disabled={pause.isPending}
                  onChange={(on) => pause.mutate(!on)}
                />
              </Act>
            )}
            {isPaused && <Pill tone="warn">{t("paused")}</Pill>}
          </>
        }
        facts={
          <>
            {facts && <Facts dag={facts} timezone={dag.data?.timezone ?? undefined} />}
            {dag.data?.dag_display_name !== undefined && dag.data.dag_display_name !== dagId && (
              <span className={styles.about}>
                <bdi>{cutText(dag.data.dag_display_name)}</bdi>
              </span>
            )}
            {dag.data?.description && (
              <span className={styles.about} title={cutText(dag.data.description, 1_000)}>
                <bdi>{cutText(dag.data.description)}</bdi>
              </span>
            )}
            {!dag.data && <span>{dag.isPending ? t("Reading {what} …", { what: t("the DAG") }) : ""}</span>}
          </>
        }
        acts={
          <>
            <Act dagId={dagId}>
              <Link className={buttonClass("primary")} to="/dags/$dagId/trigger" params={{ dagId }} search={{}}>
                <RunIcon size={16} strokeWidth={1.75} aria-hidden="true" />
                {t("Run it …")}
              </Link>
            </Act>
            <DagMenu dagId={dagId} hasDocumentation={Boolean(dag.data?.doc_md)} />
          </>
        }
        tabs={
          <TabLinks label={t("Views of the DAG")}>
            {TABS.map((tab) => (
              <Link
                key={tab.to}
                to={tab.to}
                params={{ dagId }}
                search={{}}
                activeOptions={{ exact: true, includeSearch: false }}
              >
                {t(tab.label)}
              </Link>
            ))}
          </TabLinks>
        }
      />
      {dag.isError && <Failure what={t("the DAG")} error={dag.error} retry={() => void dag.refetch()} />}
      {pause.isError && <Refusal error={pause.error} />}
    </>
  );
}

/** When it last ran, when it runs next, and its schedule in words. */
function Facts({ dag, timezone }: { dag: DagOverview; timezone: string | undefined }) {
  const zone = zoneName(useZone());
  const isOtherZone = timezone !== undefined && timezone !== zone && Boolean(dag.next_run);
  const newest = dag.runs.at(-1);
  return (
    <>
      {newest && (
        <Link
          className={styles.fact}
          to="/dags/$dagId/runs/$runId"
          params={{ dagId: dag.dag_id, runId: newest.run_id }}
          search={{}}
          title={newest.run_id}
        >
          <StateDot state={newest.state} hasSign />
          {t("last run {state}", { state: stateName(newest.state) })} · <Ago at={newest.end_date ?? newest.run_after} />
        </Link>
      )}
      {dag.late_since ? (
        <span className={`${styles.fact} bad`}>
          {t("late|header")} · <Ago at={dag.late_since} />
        </span>
      ) : (
        dag.next_run && (
          <span className={styles.fact}>
            {t("next run")} <Ago at={dag.next_run} />
          </span>
        )
      )}
      <span className={styles.about} title={dag.schedule.text}>
        {dag.schedule.code === "schedule_is_none" ? (
          t("no schedule")
        ) : dag.schedule_description ? (
          <Sentence {...dag.schedule_description} />
        ) : (
          <Sentence {...dag.schedule} />
        )}
        {isOtherZone && ` (${timezone})`}
      </span>
      {dag.has_import_errors && (
        <Link to="/" hash="import-errors" className={`${styles.fact} bad`}>
          <WarningIcon size={14} aria-hidden="true" /> {t("import error")}
        </Link>
      )}
    </>
  );
}

function DagMenu({ dagId, hasDocumentation }: { dagId: string; hasDocumentation: boolean }) {
  const params = { dagId };
  return (
    <Menu name={t("More acts")}>
      <MenuGroup label={t("Runs")}>
        <MenuItem icon={ListIcon} render={<Link to="/runs" search={{ dag_id: dagId }} />}>
          {t("All runs of this DAG")}
        </MenuItem>
        <MenuItem icon={ListIcon} render={<Link to="/tasks" search={{ dag_id: dagId }} />}>
          {t("Task instances of this DAG")}
        </MenuItem>
        <Act dagId={dagId}>
          <MenuItem icon={HistoryIcon} render={<Link to="/dags/$dagId/backfill" params={params} search={{}} />}>
            {t("New backfill")}
          </MenuItem>
          <MenuItem icon={TurnIcon} render={<Link to="/what-if" search={{ change: [`set ${dagId}=+50%`] }} />}>
            {t("What if it takes longer?")}
          </MenuItem>
        </Act>
      </MenuGroup>
      <MenuGroup label={t("About the DAG")}>
        {hasDocumentation && (
          <MenuItem
            icon={NoteIcon}
            render={<Link to="/dags/$dagId/details" params={params} search={{}} hash="documentation" />}
          >
            {t("Documentation")}
          </MenuItem>
        )}
        <MenuItem icon={GraphIcon} render={<Link to="/dependencies" search={{ dag: dagId }} />}>
          {t("Dependencies of a day")}
        </MenuItem>
        <MenuItem icon={AssetIcon} render={<Link to="/assets" search={{}} />}>
          {t("Assets")}
        </MenuItem>
        <MenuItem icon={CodeIcon} render={<Link to="/dags/$dagId/audit" params={params} search={{}} />}>
          {t("Audit log")}
        </MenuItem>
      </MenuGroup>
    </Menu>
  );
}
