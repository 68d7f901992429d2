/** The frame of every page: navigation, display, connection, account. */

import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback } from "react";
import { useMe } from "../state/account";
import { t } from "../state/language";
import { readLastSearch } from "../state/lastSearch";
import { readMeta } from "../state/meta";
import { type Connection, useLiveChanges } from "../state/live";
import { useViewFocus } from "../state/viewFocus";
import { Menu } from "./Menu";
import { FIRST, GROUPS, isOffered, type NavigationEntry } from "./navigation";
import { PaletteButton } from "./palette/PaletteButton";
import { PreferencesMenu } from "./PreferencesMenu";
import { QuestionCount } from "./QuestionCount";
import { ServerNotice } from "./ServerNotice";
import { Shortcuts } from "./Shortcuts";
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
  const me = useMe();
  const navigate = useNavigate();
  const go = useCallback((to: string) => void navigate({ to, search: readLastSearch(to) }), [navigate]);
  useViewFocus();
  return (
    <>
      <a className={styles.skip} href="#content">
        {t("Skip to the content")}
      </a>
      <header className={styles.top}>
        <Link to="/" className={styles.brand}>
          <Gnomon /> Gnomon
        </Link>
        <nav aria-label={t("Pages")}>
          {FIRST.map((one) => (
            <Entry key={one.to} entry={one} />
          ))}
          {GROUPS.filter((group) => group.entries.some((one) => isOffered(one, me))).map((group) => (
            <Menu
              key={group.label}
              label={
                <>
                  {t(group.label)}
                  {group.entries.some((one) => one.countsQuestions && isOffered(one, me)) && <QuestionCount />}
                </>
              }
            >
              {group.entries
                .filter((one) => isOffered(one, me))
                .map((one) => (
                  <Entry key={one.to} entry={one} />
                ))}
            </Menu>
          ))}
        </nav>
        <span className={`${styles.connection} ${styles[connection] ?? ""}`} role="status">
          {t(CONNECTIONS[connection])}
        </span>
        <PaletteButton />
        <PreferencesMenu />
        {user && (
          <Menu label={<span className="name">{user}</span>}>
            <Link to="/account">{t("My account")}</Link>
            <form method="post" action="/auth/logout">
              <button type="submit" className="plain">
                {t("Log out")}
              </button>
            </form>
          </Menu>
        )}
      </header>
      <ServerNotice />
      <main id="content">
        <Outlet />
      </main>
      <Toasts />
      <Shortcuts go={go} />
      <footer className="soft">Gnomon {readMeta("gnomon-version")}</footer>
    </>
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

function Entry({ entry }: { entry: NavigationEntry }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isHere = entry.to === "/" ? path === "/" : path === entry.to || path.startsWith(`${entry.to}/`);
  return (
    <Link
      to={entry.to}
      search={readLastSearch(entry.to)}
      className={isHere ? styles.active : undefined}
      aria-current={isHere ? "page" : undefined}
    >
      {t(entry.label)}
      {entry.countsQuestions && <QuestionCount />}
    </Link>
  );
}
