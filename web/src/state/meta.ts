/** What the server says in the document of the page. */

export function readMeta(name: "gnomon-user" | "gnomon-version" | "gnomon-place" | "gnomon-missing"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
