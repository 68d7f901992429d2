/** A connection that is written as a URI, `postgres://ann:secret@db.example:5432/sales?sslmode=require`, as the fields of the form. */

import { t } from "../../state/language";

export interface UriFields {
  conn_type: string;
  host: string;
  port: string;
  login: string;
  password: string;
  schema: string;
  extra: string;
}

const EXTRA = "__extra__";
const PORT_MAX = 65_535;
/** Of these the protocol belongs to the host: `https://api.example`. */
const PROTOCOLS = ["http", "https"];
const FORM = "type://login:password@host:port/schema";

/** The fields that the text of the field Host stands for, or what is wrong with its URI; undefined: it is a host. */
export function readUri(text: string): UriFields | { fault: string } | undefined {
  const [, scheme = "", rest = ""] = /^([a-z][\w+.-]*):\/\/(.*)$/is.exec(text.trim()) ?? [];
  if (scheme === "" || PROTOCOLS.includes(scheme.toLowerCase())) return undefined;
  const [, place = "", path = "", query = ""] = /^([^/?]*)\/?([^?]*)\??(.*)$/s.exec(rest) ?? [];
  const at = place.lastIndexOf("@");
  const [login = "", ...secret] = place.slice(0, Math.max(at, 0)).split(":");
  const [, host = "", port = ""] = /^(\[[^\]]*\]|[^:]*):?(.*)$/s.exec(place.slice(at + 1)) ?? [];
  if (port !== "" && !(/^\d+$/.test(port) && Number(port) <= PORT_MAX))
    return {
      fault: t("Host has a URI whose port '{port}' is no number from 0 to {most}: write it as {form}.", {
        port,
        most: String(PORT_MAX),
        form: FORM,
      }),
    };
  try {
    return {
      conn_type: readType(scheme),
      host: decodeURIComponent(host.replace(/^\[(.*)\]$/, "$1")),
      port,
      login: decodeURIComponent(login),
      password: decodeURIComponent(secret.join(":")),
      schema: decodeURIComponent(path),
      extra: readExtra(new URLSearchParams(query)),
    };
  } catch {
    return {
      fault: t("Host has a URI that cannot be read: write it as {form}, with {percent} for the sign %.", {
        form: FORM,
        percent: "%25",
      }),
    };
  }
}

function readType(scheme: string): string {
  const type = scheme.toLowerCase().replaceAll("-", "_");
  return type === "postgresql" ? "postgres" : type;
}

function readExtra(pairs: URLSearchParams): string {
  const whole = pairs.get(EXTRA);
  if (whole !== null) return whole;
  const fields = Object.fromEntries(pairs);
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : "";
}
