/** The frame of every page: navigation, display, connection, account. */

import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { Fragment, useCallback, useEffect } from "react";
import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../api/administration";
import { AccountContext } from "../state/account";
import { t } from "../state/language";
import { readLastSearch } from "../state/lastSearch";
import { readMeta } from "../state/meta";
import { type Connection, useLiveChanges } from "../state/live";
import { useLostFocus } from "../state/lostFocus";
import { useViewFocus } from "../state/viewFocus";
import { Popover } from "../ui/Popover";
import { ListIcon, UserIcon } from "../ui/icons";
import { FIRST, GROUPS, isOffered, type NavigationEntry, type NavigationGroup } from "./navigation";
import { PaletteButton } from "./palette/PaletteButton";
import { remember } from "./palette/recent";
import { PreferencesMenu } from "./PreferencesMenu";
import { QuestionCount } from "./QuestionCount";
import { ServerNotice } from "./ServerNotice";
import { ShareMenu } from "./share/ShareMenu";
import { Shortcuts } from "./Shortcuts";
import { Tour } from "./tour/Tour";
import { startTour } from "./tour/tourState";
import { Toasts } from "./Toasts";
import styles from "./layout.module.css";

const CONNECTIONS: Record<Connection, string> = {
  connecting: /* text */ "connecting …",
  live: /* text */ "live",
  lost: /* text */ "connection lost: what you see may be old",
};

export function Layout() {
  const connection = useLiveChanges();
  const user = readMeta("gnomon-user");
  const me = useQuery(meQuery()).data;
  const navigate = useNavigate();
  const go = useCallback((to: string) => void navigate({ to, search: readLastSearch(to) }), [navigate]);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const groups = GROUPS.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => isOffered(entry, me)),
  })).filter((group) => group.entries.length > 0);
  useViewFocus();
  useLostFocus();
  const { dagId, runId } = useParams({ strict: false });
  useEffect(() => {
    if (dagId !== undefined) remember({ dagId, runId });
  }, [dagId, runId]);
  return (
    <AccountContext value={me}>
      <a className={styles.skip} href="#content">
        {t("Skip to the content")}
      </a>
      <header className={styles.top}>
        <Link to="/" className={styles.brand}>
          <Gnomon /> Gnomon
        </Link>
        <nav className={styles.wide} aria-label={t("Pages")}>
          {FIRST.map((entry) => (
            <Entry key={entry.to} entry={entry} />
          ))}
          {groups.map((group) => (
            <Popover
              key={group.label}
              isInPlace
              className={group.entries.some((entry) => isHere(entry, path)) ? styles.active : ""}
              tour={group.label}
              label={
                <>
                  {t(group.label)}
                  {group.entries.some((entry) => entry.countsQuestions) && <QuestionCount />}
                </>
              }
            >
              <Entries group={group} />
            </Popover>
          ))}
        </nav>
        <span className={styles.room} />
        <span
          className={`${styles.connection} ${styles[connection] ?? ""}`}
          role="status"
          title={t(CONNECTIONS[connection])}
        >
          <span className={styles.connectionText}>{t(CONNECTIONS[connection])}</span>
        </span>
        <PaletteButton />
        <ShareMenu />
        <PreferencesMenu />
        {user && (
          <Popover
            look="quiet"
            placement="bottom-end"
            icon={UserIcon}
            isBare
            label={<span className={`name ${styles.user}`}>{user}</span>}
            name={t("Account {user}", { user })}
          >
            {(close) => (
              <>
                <Link to="/account">{t("My account")}</Link>
                <button
                  type="button"
                  className="plain"
                  onClick={() => {
                    close();
                    go("/");
                    startTour();
                  }}
                >
                  {t("Show the tour")}
                </button>
                <form method="post" action="/auth/logout">
                  <button type="submit" className="plain">
                    {t("Log out")}
                  </button>
                </form>
              </>
            )}
          </Popover>
        )}
        <span className={styles.narrow}>
          <Popover
            look="quiet"
            placement="bottom-end"
            icon={ListIcon}
            isBare
            label={null}
            name={t("Pages")}
            tour="pages"
          >
            <nav className={styles.list} aria-label={t("Pages")}>
              {FIRST.map((entry) => (
                <Entry key={entry.to} entry={entry} />
              ))}
              {groups.map((group) => (
                <section key={group.label}>
                  <h2>{t(group.label)}</h2>
                  <Entries group={group} />
                </section>
              ))}
            </nav>
          </Popover>
        </span>
      </header>
      <ServerNotice />
      <main id="content">
        <Outlet />
      </main>
      <Toasts />
      <Tour />
      <Shortcuts go={go} />
    </AccountContext>
  );
}

/** The sign of the product: the triangle of a sundial and its shadow. */
function Gnomon() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M3 16 14 3v13z" fill="currentColor" />
      <path d="M14 16h4L14 9z" fill="currentColor" opacity=".35" />
      <path d="M1 17.5h18" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}

function isHere(entry: NavigationEntry, path: string): boolean {
  return entry.to === "/" ? path === "/" : path === entry.to || path.startsWith(`${entry.to}/`);
}

function Entries({ group }: { group: NavigationGroup }) {
  return (
    <div className={styles.list}>
      {group.entries.map((entry, at) => (
        <Fragment key={entry.to}>
          {entry.part && entry.part !== group.entries[at - 1]?.part && <p className={styles.part}>{t(entry.part)}</p>}
          <Entry entry={entry} />
        </Fragment>
      ))}
    </div>
  );
}

function Entry({ entry }: { entry: NavigationEntry }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <Link
      to={entry.to}
      search={readLastSearch(entry.to)}
      data-tour={entry.to === "/" ? "home" : entry.to === "/dags" ? "dags" : undefined}
      className={isHere(entry, path) ? styles.active : undefined}
      aria-current={isHere(entry, path) ? "page" : undefined}
    >
      {t(entry.label)}
      {entry.countsQuestions && <QuestionCount />}
    </Link>
  );
}
