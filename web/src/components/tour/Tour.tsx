/** A tour of six steps over what every view has: offered once to a new account on the home page, where it begins, and shown again from the menu of the account. */

import { Popover, PopoverHeading, PopoverProvider } from "@ariakit/react/popover";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useMe } from "../../state/account";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { endTour, goToStep, isTourOffered, startTour, useTourStep } from "./tourState";
import styles from "./tour.module.css";

interface Step {
  /** What the step is about, by its selector; a narrow window has it in the menu of pages. */
  at: string;
  title: string;
  text: string;
}

const STEPS: Step[] = [
  {
    at: '[data-tour="home"]',
    title: /* text */ "Home says whether anything is wrong",
    text: /* text */ "What failed and why, what waits for you, what is late, what runs now and what comes next.",
  },
  {
    at: '[data-tour="dags"]',
    title: /* text */ "All DAGs, with their runs",
    text: /* text */ "A DAG opens with the grid of its runs and tasks. Its graph, calendar, code and backfills stand beside it.",
  },
  {
    at: '[data-tour="Schedules"]',
    title: /* text */ "How the schedules hang together",
    text: /* text */ "Which runs of a day wait for which others, what assets trigger, and a lab that shows the year of a schedule.",
  },
  {
    at: '[data-tour="Work"]',
    title: /* text */ "What is under way",
    text: /* text */ "Runs and task instances of all DAGs with filters, questions to people, and who holds the slots of a pool.",
  },
  {
    at: '[data-tour="find"]',
    title: /* text */ "Everything by its name",
    text: /* text */ "Ctrl K finds DAGs, tasks, runs and pages, and does acts. The key ? lists all keys.",
  },
  {
    at: '[data-tour="display"]',
    title: /* text */ "As you like to see it",
    text: /* text */ "Time zone, theme, density and language. The tour can be shown again from the menu of your account.",
  },
];
const NARROW = '[data-tour="pages"]';

export function Tour() {
  const step = useTourStep();
  const me = useMe();
  const [opened] = useState(() => Date.now());
  const isHome = useRouterState({ select: (state) => state.location.pathname === "/" });
  // It lies over a part of the view: who has come by a link to a run is not kept from it.
  if (step === undefined) return isHome && isTourOffered(me, opened) ? <Offer /> : null;
  return <StepCard key={step} number={step} />;
}

function Offer() {
  return (
    <aside className={styles.offer} aria-label={t("Tour")}>
      <b>{t("New here?")}</b>
      <p>{t("A tour of six steps shows where everything is.")}</p>
      <div className={styles.acts}>
        <Button onClick={endTour}>{t("Not now")}</Button>
        <Button look="primary" onClick={startTour}>
          {t("Show the tour")}
        </Button>
      </div>
    </aside>
  );
}

function StepCard({ number }: { number: number }) {
  const step = STEPS[number] as Step;
  const target = findTarget(step.at);
  const isLast = number === STEPS.length - 1;
  useEffect(() => {
    target?.classList.add(styles.target as string);
    return () => target?.classList.remove(styles.target as string);
  }, [target]);
  return (
    <PopoverProvider
      open
      setOpen={(isOpen) => {
        if (!isOpen) endTour();
      }}
      placement="bottom"
    >
      <Popover
        className={styles.card}
        gutter={10}
        portal
        hideOnInteractOutside={false}
        getAnchorRect={() => target?.getBoundingClientRect() ?? null}
      >
        <PopoverHeading className={styles.title}>{t(step.title)}</PopoverHeading>
        <p>{t(step.text)}</p>
        <div className={styles.acts}>
          <span className="soft">{t("{step} of {count}", { step: number + 1, count: STEPS.length })}</span>
          <Button look="quiet" onClick={endTour}>
            {t("Leave the tour")}
          </Button>
          {number > 0 && <Button onClick={() => goToStep(number - 1)}>{t("Back")}</Button>}
          <Button look="primary" autoFocus onClick={() => (isLast ? endTour() : goToStep(number + 1))}>
            {isLast ? t("Done") : t("Next")}
          </Button>
        </div>
      </Popover>
    </PopoverProvider>
  );
}

/** The element of a step, or the menu that holds it in a narrow window. */
function findTarget(selector: string): Element | undefined {
  return [selector, NARROW]
    .flatMap((one) => [...document.querySelectorAll(one)])
    .find((one) => one.getClientRects().length > 0);
}
