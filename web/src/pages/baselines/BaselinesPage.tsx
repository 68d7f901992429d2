/** All baselines, the most urgent first: how each stands at the due time that matters now. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Baseline, baselinesQuery } from "../../api/baselines";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { ListHead } from "../../components/filters/ListFrame";
import { Sentence } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon, PlusIcon } from "../../ui/icons";
import { Facet } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import { Slack, Standing } from "./BaselineFacts";
import { BaselineForm } from "./BaselineForm";
import styles from "./baselines.module.css";
import { compareUrgency, formatShare, LEVELS } from "./baselineLevels";
import type { BaselinesView } from "./baselinesView";
import { NoBaseline } from "./NoBaseline";
import { PredictedEnd } from "./PredictedEnd";

const route = getRouteApi("/baselines");

export function BaselinesPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: BaselinesView) => void navigate({ to: "/baselines", search: { ...view, ...some }, replace: true });
  const query = useQuery(baselinesQuery());
  const all = query.data?.baselines ?? [];
  const [isOpen, setOpen] = useState(false);
  const close = (name?: string) => {
    setOpen(false);
    if (name) void navigate({ to: "/baselines/$name", params: { name } });
  };
  return (
    <>
      {isOpen && (
        <Act needs="create baseline">
          <BaselineForm done={close} />
        </Act>
      )}
      <ListHead
        title={t("Baselines")}
        count={query.data && formatCount(all.length)}
        acts={
          <Act needs="create baseline">
            <Button look="primary" icon={PlusIcon} onClick={() => setOpen(true)}>
              {t("New baseline")}
            </Button>
          </Act>
        }
      >
        {all.length > 0 && (
          <>
            <SearchBox
              label={t("Name, DAG or owner")}
              value={view.search}
              onChange={(search) => set({ search: search ?? undefined })}
            />
            {Object.entries(LEVELS).map(([level, { words }]) => (
              <Facet
                key={level}
                label={t(words)}
                count={all.filter((one) => one.level === level).length}
                isChosen={view.level === level}
                toggle={() => set({ level: view.level === level ? undefined : (level as BaselinesView["level"]) })}
              />
            ))}
          </>
        )}
      </ListHead>
      <Answer query={query} what={t("the baselines")}>
        {(found) => (
          <>
            {found.faults.map((fault) => (
              <p key={fault} className="notice" role="alert">
                <bdi>{fault}</bdi>
              </p>
            ))}
            {found.baselines.length === 0 ? <NoBaseline /> : <BaselineList baselines={choose(found.baselines, view)} />}
          </>
        )}
      </Answer>
    </>
  );
}

function choose(baselines: readonly Baseline[], { search, level }: BaselinesView): Baseline[] {
  const words = search?.toLowerCase() ?? "";
  return baselines
    .filter((one) => level === undefined || one.level === level)
    .filter((one) => [one.name, one.owner, ...one.of].some((text) => text.toLowerCase().includes(words)))
    .toSorted(compareUrgency);
}

function BaselineList({ baselines }: { baselines: Baseline[] }) {
  if (baselines.length === 0) return <EmptyState icon={ClockIcon} title={t("No baseline fits these filters.")} />;
  return (
    <ul className={styles.list} aria-label={t("Baselines")}>
      {baselines.map((baseline) => (
        <BaselineItem key={baseline.name} baseline={baseline} />
      ))}
    </ul>
  );
}

/** Levels of which the facts say everything. */
const SAID: ReadonlySet<string> = new Set(["safe", "met"]);

function BaselineItem({ baseline }: { baseline: Baseline }) {
  const { name, level, due_at: due, breach, slack, owner, sentence } = baseline;
  const isOpen = level !== null && !baseline.ended_at;
  return (
    <li className={styles.item}>
      <div className={styles.line}>
        <Link to="/baselines/$name" params={{ name }} className="name strong">
          {name}
        </Link>
        <Standing baseline={baseline} />
        {owner && <span className="soft name">{owner}</span>}
      </div>
      <dl className={styles.facts}>
        <div>
          <dt>{t("Due|baseline")}</dt>
          <dd>
            <Time at={due} />
          </dd>
        </div>
        <div className={styles.wide}>
          <dt>{t("Predicted end")}</dt>
          <dd>
            <PredictedEnd baseline={baseline} />
          </dd>
        </div>
        <div>
          <dt>{t("Late with probability")}</dt>
          <dd>{isOpen && breach !== null ? formatShare(breach) : "–"}</dd>
        </div>
        <div>
          <dt>{t("Slack")}</dt>
          <dd>{isOpen && slack !== null ? <Slack seconds={slack} /> : "–"}</dd>
        </div>
      </dl>
      {!(level && SAID.has(level)) && (
        <p className={styles.sentence}>
          <Sentence text={sentence.text} spans={sentence.spans} />
        </p>
      )}
    </li>
  );
}
