/** What needs attention now, in the order in which one asks: what is wrong, what waits for me, what is late, what runs, what comes. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { dagCountQuery, failuresQuery } from "../../api/overviews";
import { workQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { FirstDag } from "../../components/firstDag/FirstDag";
import { t } from "../../state/language";
import { PageHeader } from "../../ui/PageHeader";
import { Failures } from "./Failures";
import { findSince, readVisitBefore, rememberVisit } from "./homeView";
import { ImportErrors } from "./ImportErrors";
import { Services } from "./Services";
import { Summary } from "./Summary";
import { TimelineView } from "./TimelineView";
import { useTimeline } from "./useTimeline";
import { Waits } from "./Waits";
import { sortWaits } from "./sortWaits";
import { Late, Running } from "./Work";
import styles from "./home.module.css";

const route = getRouteApi("/");

export function HomePage() {
  const view = route.useSearch();
  useEffect(() => rememberVisit, []);
  useEffect(() => {
    window.addEventListener("pagehide", rememberVisit);
    return () => window.removeEventListener("pagehide", rememberVisit);
  }, []);
  const [now] = useState(() => Date.now());
  const since = findSince(view.window, now, readVisitBefore());
  const work = useQuery(workQuery());
  const failures = useQuery(failuresQuery(since));
  const timeline = useTimeline(view, !work.isPending);
  const hasDags = useQuery(dagCountQuery()).data !== 0;
  const waits = work.data && sortWaits(work.data.waiting);
  return (
    <>
      <PageHeader title={t("Home")} acts={<Services />} />
      <Summary failures={failures.data} waits={waits} work={work.data} timeline={timeline.data} />
      <ImportErrors />
      {hasDags ? (
        <>
          <div className={styles.sections}>
            <Failures view={view} since={since} query={failures} />
            <Answer query={work} what={t("the current work")}>
              {(found) => (
                <div className={styles.side}>
                  {waits && <Waits waits={waits} late={<Late late={found.late} />} />}
                  <Running running={found.running} />
                </div>
              )}
            </Answer>
          </div>
          <TimelineView view={view} query={timeline} />
        </>
      ) : (
        <FirstDag />
      )}
    </>
  );
}
