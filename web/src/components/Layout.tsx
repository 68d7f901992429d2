/** The frame of every page: navigation, display, connection, account. */

import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { t } from "../state/language";
import { type Connection, useLiveChanges } from "../state/live";
import { Menu } from "./Menu";
import { FIRST, GROUPS, type NavigationEntry } from "./navigation";
import { PaletteButton } from "./palette/PaletteButton";
import { PreferencesMenu } from "./PreferencesMenu";

const CONNECTIONS: Record<Connection, string> = {
  connecting: /* text */ "connecting …", live: /* text */ "live", lost: /* text */ "connection lost: what you see may be old",
};

export function Layout() {
  const connection = useLiveChanges();
  const user = readMeta("gnomon-user");
  return (
    <>
      <a className="skip" href="#content">{t("Skip to the content")}</a>
      <header className="top">
        <Link to="/" className="brand">Gnomon</Link>
        <nav aria-label={t("Pages")}>
          {FIRST.map((one) => <Entry key={one.to} entry={one} />)}
          {GROUPS.filter((group) => group.entries.length > 0).map((group) => (
            <Menu key={group.label} label={t(group.label)}>{group.entries.map((one) => <Entry key={one.to} entry={one} />)}</Menu>
          ))}
        </nav>
        <span className={`connection ${connection}`} role="status">{t(CONNECTIONS[connection])}</span>
        <PaletteButton />
        <PreferencesMenu />
        {user && (
          <form method="post" action="/auth/logout">
            <span className="soft name">{user}</span> <button>{t("Log out")}</button>
          </form>
        )}
      </header>
      <main id="content"><Outlet /></main>
      <footer className="soft">Gnomon {readMeta("gnomon-version")}</footer>
    </>
  );
}

function Entry({ entry }: { entry: NavigationEntry }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isHere = entry.to === "/" ? path === "/" : path === entry.to || path.startsWith(`${entry.to}/`);
  return <Link to={entry.to} search={{}} className={isHere ? "active" : undefined} aria-current={isHere ? "page" : undefined}>{t(entry.label)}</Link>;
}

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
