/** How good predictions of ends were in the last 14 days, the DAG with the worst error first. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { accuracyQuery, type ForecastAccuracy } from "../../api/baselines";
import { Answer } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { AccuracyTable } from "./AccuracyTable";
import { ForecastTabs } from "./ForecastTabs";

const route = getRouteApi("/forecast/accuracy");

export function AccuracyPage() {
  const query = useQuery(accuracyQuery());
  return (
    <>
      <PageHeader
        title={t("Forecast")}
        facts={<span>{t("what was predicted of the runs of the last 14 days, and what came")}</span>}
        tabs={<ForecastTabs />}
      />
      <Answer query={query} what={t("the accuracy")}>
        {(accuracy) => <Shown accuracy={accuracy} />}
      </Answer>
    </>
  );
}

function Shown({ accuracy }: { accuracy: ForecastAccuracy }) {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  if (accuracy.dags.length === 0) {
    return (
      <EmptyState icon={ClockIcon} title={t("No run that was predicted has ended yet.")}>
        <p>
          {t(
            "The monitor keeps a prediction of each run an hour before it begins and at its start, while it makes forecasts: with a baseline, or with [forecast] always = true.",
          )}
        </p>
      </EmptyState>
    );
  }
  const dags = accuracy.dags.filter((one) => one.dag_id.toLowerCase().includes(search.toLowerCase()));
  const left = accuracy.total_entries - accuracy.dags.length;
  return (
    <>
      <Toolbar label={t("What is shown")}>
        <SearchBox
          label={t("DAG")}
          placeholder={t("part of its name")}
          value={search || undefined}
          onChange={(text) => void navigate({ to: "/forecast/accuracy", search: { search: text }, replace: true })}
        />
      </Toolbar>
      <p className="soft">
        {t(
          "Good predictions have half of the ends by P50 and nine of ten by P90. A run is off by the distance of its end from P50; half of the runs are off by less than is shown.",
        )}
      </p>
      {dags.length === 0 ? (
        <EmptyState icon={ClockIcon} title={t("No DAG fits.")} />
      ) : (
        <AccuracyTable accuracy={search ? { ...accuracy, dags, before: null, start: null } : accuracy} />
      )}
      {left > 0 && (
        <p className="soft">
          {tn("{count} DAG with smaller errors is not shown.", "{count} DAGs with smaller errors are not shown.", left)}
        </p>
      )}
    </>
  );
}
