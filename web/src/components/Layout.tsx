/** The frame of every page: navigation, zone of times, connection, account. */

import { Link, Outlet } from "@tanstack/react-router";
import { useLiveChanges } from "../state/live";
import { useZone } from "../state/times";

const CONNECTIONS = { connecting: "connecting …", live: "live", lost: "connection lost: what you see may be old" };

export function Layout() {
  const connection = useLiveChanges();
  const [zone, setZone] = useZone();
  const user = readMeta("gnomon-user");
  return (
    <>
      <a className="skip" href="#content">Skip to the content</a>
      <header className="top">
        <Link to="/" className="brand">Gnomon</Link>
        <nav aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true }}>Home</Link>
          <Link to="/dags" search={{}} activeOptions={{ includeSearch: false }}>DAGs</Link>
          <a href="/services">Services and problems</a>
        </nav>
        <span className={`connection ${connection}`} role="status">{CONNECTIONS[connection]}</span>
        <button type="button" title="The zone of all times on the page" onClick={() => setZone(zone === "UTC" ? "local" : "UTC")}>
          {zone === "UTC" ? "UTC" : "Local time"}
        </button>
        {user && (
          <form method="post" action="/auth/logout">
            <span className="soft">{user}</span> <button>Log out</button>
          </form>
        )}
      </header>
      <main id="content"><Outlet /></main>
      <footer className="soft">Gnomon {readMeta("gnomon-version")}</footer>
    </>
  );
}

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
