/** What needs attention now: what failed, what is late, what waits and why, what ran and runs next, and whether the services are alive. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { workQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { t } from "../../state/language";
import { Failures } from "./Failures";
import { rememberVisit } from "./homeView";
import { ImportErrors } from "./ImportErrors";
import { Services } from "./Services";
import { TimelineView } from "./TimelineView";
import { Late, Running, Waiting } from "./Work";
import styles from "./home.module.css";

const route = getRouteApi("/");

export function HomePage() {
  const view = route.useSearch();
  useEffect(() => rememberVisit, []);
  useEffect(() => {
    window.addEventListener("pagehide", rememberVisit);
    return () => window.removeEventListener("pagehide", rememberVisit);
  }, []);
  const work = useQuery(workQuery());
  return (
    <>
      <h1>{t("Home")}</h1>
      <ImportErrors />
      <div className={styles.sections}>
        <Failures view={view} />
        <Answer query={work} what={t("the current work")}>
          {(found) => (
            <div>
              <Late late={found.late} />
              <Waiting waiting={found.waiting} />
            </div>
          )}
        </Answer>
      </div>
      <TimelineView view={view} isWanted={!work.isPending} />
      {work.data && <Running running={work.data.running} />}
      <Services />
    </>
  );
}
