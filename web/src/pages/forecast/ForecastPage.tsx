/** The coming hours of all DAGs: when each run will probably begin and end, and when baselines are due. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { baselinesQuery, type Forecast, forecastQuery } from "../../api/baselines";
import { Act } from "../../components/Act";
import { Ago, useNow } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import type { TimeMark } from "../../components/timeChart/timeSpan";
import { t, tn } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon } from "../../ui/icons";
import { Fill, PageHeader, Toolbar } from "../../ui/PageHeader";
import { Popover } from "../../ui/Popover";
import { SearchBox } from "../../ui/SearchBox";
import { LEVELS } from "../baselines/baselineLevels";
import { NoForecast } from "../baselines/NoBaseline";
import { ForecastChart } from "./ForecastChart";
import { ForecastTabs } from "./ForecastTabs";
import { chooseBars, findSpan, listBars } from "./forecastRows";
import { type ForecastView, HOURS } from "./forecastView";
import styles from "./forecast.module.css";

const route = getRouteApi("/forecast");

export function ForecastPage() {
  const query = useQuery(forecastQuery());
  const found = typeof query.data === "object" ? query.data : undefined;
  return (
    <>
      <PageHeader
        title={t("Forecast")}
        facts={
          found && (
            <>
              <span>{tn("{count} run", "{count} runs", found.total_entries)}</span>
              <span>
                {t("predicted")} <Ago at={found.at} />
              </span>
              <span>{tn("from {count} future", "from {count} futures", found.samples)}</span>
            </>
          )
        }
        tabs={<ForecastTabs />}
      />
      <Answer query={query} what={t("the forecast")}>
        {(forecast) => (typeof forecast === "string" ? <NoForecast why={forecast} /> : <Shown forecast={forecast} />)}
      </Answer>
    </>
  );
}

function Shown({ forecast }: { forecast: Forecast }) {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: ForecastView) => void navigate({ to: "/forecast", search: { ...view, ...some }, replace: true });
  const baselines = useQuery(baselinesQuery());
  const now = useNow();
  const at = Date.parse(forecast.at);
  const bars = useMemo(() => listBars(forecast.runs, at), [forecast.runs, at]);
  const span = useMemo(
    () => findSpan(bars, at, Date.parse(forecast.until), view.hours),
    [bars, at, forecast.until, view.hours],
  );
  const chosen = useMemo(() => chooseBars(bars, span, view.search), [bars, span, view.search]);
  const marks: TimeMark[] = (baselines.data?.baselines ?? []).flatMap((one) =>
    one.due_at && one.level && !one.ended_at
      ? [{ at: Date.parse(one.due_at), label: one.name, tone: LEVELS[one.level].tone }]
      : [],
  );
  const left = forecast.total_entries - forecast.runs.length;
  return (
    <>
      <Toolbar label={t("What is shown")}>
        <SearchBox
          label={t("DAG")}
          placeholder={t("part of its name")}
          value={view.search}
          onChange={(search) => set({ search })}
        />
        <select
          aria-label={t("How far")}
          value={view.hours ?? ""}
          onChange={(event) => set({ hours: Number(event.target.value) || undefined })}
        >
          <option value="">{t("all that is predicted")}</option>
          {HOURS.map((hours) => (
            <option key={hours} value={hours}>
              {tn("{count} hour", "{count} hours", hours)}
            </option>
          ))}
        </select>
        {forecast.assumptions.length > 0 && (
          <Popover label={tn("{count} assumption", "{count} assumptions", forecast.assumptions.length)}>
            <ul className={styles.assumptions}>
              {forecast.assumptions.map((text) => (
                <li key={text}>
                  <bdi>{text}</bdi>
                </li>
              ))}
            </ul>
          </Popover>
        )}
        <Link to="/baselines">{t("Baselines")}</Link>
        <Act needs="create simulation">
          <Link to="/what-if" search={{}}>
            {t("What if")}
          </Link>
        </Act>
      </Toolbar>
      {left > 0 && (
        <p className="soft">{tn("{count} later run is not shown.", "{count} later runs are not shown.", left)}</p>
      )}
      {chosen.length === 0 ? (
        <EmptyState icon={ClockIcon} title={t("No run is predicted here.")} />
      ) : (
        <Fill className={styles.fill}>
          <ForecastChart bars={chosen} span={span} marks={marks} now={now} />
        </Fill>
      )}
    </>
  );
}
