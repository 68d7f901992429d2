/** The frame of all views of one DAG: its header, what is wrong with it, and the view. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { dagExplanationQuery, dagQuery } from "../../api/queries";
import { isMissing, Missing } from "../../components/Missing";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { PageHeader } from "../../ui/PageHeader";
import { DagHeader } from "./DagHeader";
import { DagTrouble } from "./DagTrouble";
import { useZoneOfDag } from "./zoneOfDag";

const route = getRouteApi("/dags/$dagId");

export function DagFrame() {
  const { dagId } = route.useParams();
  const { data, error } = useQuery(dagQuery(dagId));
  const isAbsent = isKnownMissing(useQueryClient(), dagId);
  const explanation = useQuery({ ...dagExplanationQuery(dagId), enabled: !isAbsent });
  useZoneOfDag(data?.timezone);
  if (isMissing(error))
    return (
      <>
        <PageHeader
          path={
            <Link to="/dags" search={{}}>
              {t("DAGs")}
            </Link>
          }
          title={dagId}
        />
        <Missing error={error} />
      </>
    );
  if (isAbsent && error === null) return <h1 className="name">{dagId}</h1>;
  return (
    <>
      <DagHeader dagId={dagId} />
      <DagTrouble dagId={dagId} query={explanation} />
      <Outlet />
    </>
  );
}
