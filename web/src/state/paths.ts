/** The last two parts of the path of a file: `sales/daily.py`. The whole path belongs into the title. */
export function shortPath(path: string): string {
  return path.split("/").filter(Boolean).slice(-2).join("/");
}
