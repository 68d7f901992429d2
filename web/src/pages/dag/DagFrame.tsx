/** The frame of all views of one DAG: what it is, why it does not run, its acts, its tabs. */

import { TabLinks } from "../../ui/Tabs";
import { Act } from "../../components/Act";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { usePause } from "../../api/changes";
import { dagExplanationQuery, dagQuery } from "../../api/queries";
import { Answer, Refusal } from "../../components/Answer";
import { LongText } from "../../components/LongText";
import { isMissing, Missing } from "../../components/Missing";
import { Sentences } from "../../components/Sentences";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { setDagZone } from "../../state/times";
import { TABS } from "./dagTabs";

const route = getRouteApi("/dags/$dagId");

export function DagFrame() {
  const { dagId } = route.useParams();
  const { error } = useQuery(dagQuery(dagId));
  const isAbsent = isKnownMissing(useQueryClient(), dagId);
  const explanation = useQuery({ ...dagExplanationQuery(dagId), enabled: !isAbsent });
  if (isMissing(error))
    return (
      <>
        <h1 className="name">{dagId}</h1>
        <Missing error={error} />
      </>
    );
  if (isAbsent && error === null) return <h1 className="name">{dagId}</h1>;
  return (
    <>
      <h1 className="name">{dagId}</h1>
      <DagHead dagId={dagId} />
      <Sentences query={explanation} none={t("Nothing prevents this DAG from running.")} />
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
      <Outlet />
    </>
  );
}

/** While a page of the DAG is shown, "zone of the DAG" is the zone of this DAG. */
export function useZoneOfDag(timezone: string | null | undefined): void {
  useEffect(() => {
    setDagZone(timezone ?? undefined);
    return () => setDagZone(undefined);
  }, [timezone]);
}

function DagHead({ dagId }: { dagId: string }) {
  const dagAnswer = useQuery(dagQuery(dagId));
  useZoneOfDag(dagAnswer.data?.timezone);
  const pause = usePause(dagId);
  return (
    <Answer query={dagAnswer} what={t("the DAG")}>
      {(dag) => (
        <div className="head">
          {dag.description && (
            <p>
              <LongText text={dag.description} />
            </p>
          )}
          <div className="head-line">
            <p>
              {dag.timetable_summary ? (
                <b>
                  <LongText text={dag.timetable_summary} />
                </b>
              ) : (
                <b>{t("no schedule")}</b>
              )}{" "}
              {dag.timetable_description && (
                <span className="soft">
                  <LongText text={dag.timetable_description} />
                </span>
              )}
            </p>
            <div className="acts">
              <Act dagId={dagId}>
                <button type="button" disabled={pause.isPending} onClick={() => pause.mutate(!dag.is_paused)}>
                  {dag.is_paused ? t("Unpause") : t("Pause")}
                </button>
                <Link className="button" to="/dags/$dagId/trigger" params={{ dagId }} search={{}}>
                  {t("Run it …")}
                </Link>
              </Act>
              {dag.doc_md && (
                <Link to="/dags/$dagId/details" params={{ dagId }} search={{}} hash="documentation">
                  {t("Documentation")}
                </Link>
              )}
            </div>
          </div>
          {pause.isError && <Refusal error={pause.error} />}
        </div>
      )}
    </Answer>
  );
}
