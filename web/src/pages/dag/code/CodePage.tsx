/** The source of a DAG: each version that is kept, the difference of two, and which runs used them. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { runsOfVersionQuery, sourceQuery, versionsQuery } from "../../../api/plans";
import type { DagVersionRows } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { RunLink } from "../../../components/Names";
import { StateDot } from "../../../components/StateDot";
import { Time } from "../../../components/Time";
import { t } from "../../../state/language";
import { SelectField } from "../../../ui/Field";
import { Toolbar } from "../../../ui/PageHeader";
import styles from "./code.module.css";
import { DiffView } from "./DiffView";
import { SourceView } from "./SourceView";

export interface CodeView {
  version?: number;
  /** The version with which it is compared. */
  against?: number;
  line?: number;
}

const route = getRouteApi("/dags/$dagId/code");

export function CodePage() {
  const { dagId } = route.useParams();
  return (
    <Answer query={useQuery(versionsQuery(dagId))} what={t("the versions")}>
      {(found) => <Versions dagId={dagId} found={found} />}
    </Answer>
  );
}

function Versions({ dagId, found }: { dagId: string; found: DagVersionRows }) {
  const view = route.useSearch();
  const navigate = useNavigate();
  const newest = found.versions[0]?.version;
  const shown = found.versions.find((one) => one.version === (view.version ?? newest));
  const set = (search: CodeView) =>
    void navigate({ to: "/dags/$dagId/code", params: { dagId }, search, replace: true, resetScroll: false });
  const options = found.versions.map((one) => ({
    value: String(one.version),
    label: `${t("version {number}", { number: one.version })} · ${one.created_at.slice(0, 10)}`,
  }));
  if (!shown)
    return (
      <p className="notice">
        {t("There is no version {number} of this DAG.", { number: view.version ?? 0 })}{" "}
        <Link to="/dags/$dagId/code" params={{ dagId }} search={{}}>
          {t("Show the newest")}
        </Link>
      </p>
    );
  return (
    <>
      <Toolbar label={t("Controls")}>
        <SelectField
          isInline
          label={t("Show")}
          value={String(shown.version)}
          options={options}
          onChange={(version) => set({ ...view, version: Number(version), line: undefined })}
        />
        <SelectField
          isInline
          label={t("compare with")}
          value={view.against === undefined ? "" : String(view.against)}
          options={[{ value: "", label: t("no other") }, ...options]}
          onChange={(against) =>
            set({
              ...view,
              version: shown.version,
              against: against === "" ? undefined : Number(against),
              line: undefined,
            })
          }
        />
        <span className="soft">
          {t("Version {number}, made", { number: shown.version })} <Time at={shown.created_at} />:{" "}
          {shown.changes.map((change) => change.text).join("; ")}
        </span>
        {found.total > found.versions.length && (
          <span className="soft">
            {t("The newest {shown} of {total} are shown.", { shown: found.versions.length, total: found.total })}
          </span>
        )}
      </Toolbar>
      {shown.bundle_version !== null && (
        <p className="soft">
          {t("DAG bundle {name}, version {version}", { name: shown.bundle_name, version: shown.bundle_version })}
        </p>
      )}
      <RunsOfVersion dagId={dagId} version={shown.version} />
      {view.against === undefined ? (
        <Source
          dagId={dagId}
          version={shown.version}
          line={view.line}
          set={(line) => set({ ...view, version: shown.version, line })}
        />
      ) : (
        <Difference
          dagId={dagId}
          before={Math.min(view.against, shown.version)}
          after={Math.max(view.against, shown.version)}
        />
      )}
    </>
  );
}

function RunsOfVersion({ dagId, version }: { dagId: string; version: number }) {
  return (
    <Answer query={useQuery(runsOfVersionQuery(dagId, version))} what={t("the runs of the version")}>
      {(found) => (
        <div className={styles.runs}>
          {found.dag_runs.length === 0 ? t("No run has used this version.") : t("Its newest runs:")}
          {found.dag_runs.map((run) => (
            <span key={run.dag_run_id}>
              <StateDot state={run.state} isNamed /> <RunLink dagId={dagId} runId={run.dag_run_id} />
            </span>
          ))}
          {(found.total_entries ?? 0) > found.dag_runs.length && (
            <span>{t("of {total} in all", { total: found.total_entries ?? 0 })}</span>
          )}
        </div>
      )}
    </Answer>
  );
}

function Source({
  dagId,
  version,
  line,
  set,
}: {
  dagId: string;
  version: number;
  line: number | undefined;
  set: (line: number) => void;
}) {
  return (
    <Answer
      query={useQuery(sourceQuery(dagId, version))}
      what={t("the source of version {number}", { number: version })}
    >
      {(found) => <SourceView source={found.content ?? ""} line={line} choose={set} />}
    </Answer>
  );
}

function Difference({ dagId, before, after }: { dagId: string; before: number; after: number }) {
  const old = useQuery(sourceQuery(dagId, before));
  const now = useQuery(sourceQuery(dagId, after));
  return (
    <Answer query={old} what={t("the source of version {number}", { number: before })}>
      {(first) => (
        <Answer query={now} what={t("the source of version {number}", { number: after })}>
          {(second) => (
            <DiffView
              before={first.content ?? ""}
              after={second.content ?? ""}
              names={[t("version {number}", { number: before }), t("version {number}", { number: after })]}
            />
          )}
        </Answer>
      )}
    </Answer>
  );
}
