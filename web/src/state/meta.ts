/** What the server says in the document of the page. */

type Name = "gnomon-user" | "gnomon-version" | "gnomon-place" | "gnomon-missing" | "gnomon-languages";

export function readMeta(name: Name): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
