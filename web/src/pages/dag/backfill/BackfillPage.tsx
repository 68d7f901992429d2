/** Backfills of a DAG: a new one with a preview of its slots, and those there are with their progress. */

import { Act } from "../../../components/Act";
import { getRouteApi } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { t } from "../../../state/language";
import { BackfillForm } from "./BackfillForm";
import { BackfillList } from "./BackfillList";
import { dagQuery } from "../../../api/queries";
import { Answer } from "../../../components/Answer";

const route = getRouteApi("/dags/$dagId/backfill");

export function BackfillPage() {
  const { dagId } = route.useParams();
  return (
    <>
      <BackfillList dagId={dagId} />
      <section className="plan-form">
        <h2>{t("New backfill")}</h2>
        <Answer query={useQuery(dagQuery(dagId))} what={t("the DAG")}>
          {(dag) =>
            dag.is_backfillable ? (
              <Act
                dagId={dagId}
                otherwise={
                  <p className="soft">
                    {t(
                      "Your account may only read this DAG: to run it needs the role user, which an administrator gives.",
                    )}
                  </p>
                }
              >
                <BackfillForm dag={dag} />
              </Act>
            ) : (
              <p>
                {t("This DAG cannot be backfilled: its schedule ({schedule}) has no sequence of slots.", {
                  schedule: dag.timetable_summary ?? "None",
                })}
              </p>
            )
          }
        </Answer>
      </section>
    </>
  );
}
