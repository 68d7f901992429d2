/** What a view can be given away as: a link to its place, a picture of it. */

import { t } from "../../state/language";
import { readZone } from "../../state/times";
import { saveFile } from "../saveFile";
import { composeLink } from "./findPlace";

/** Whether this browser, at this address, lets a page write pictures to the clipboard. */
export function canCopyPicture(): boolean {
  return typeof ClipboardItem !== "undefined" && navigator.clipboard !== undefined;
}

/** Returns what was done, in words. Without a clipboard the link becomes the address of the window, from which it can be taken. */
export async function copyLink(): Promise<string> {
  const link = composeLink();
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(link);
    return t("The link to this place is copied.");
  }
  window.history.replaceState(window.history.state, "", link);
  return t("The address of this window is now the link to this place.");
}

/** Returns what was done, in words. */
export async function copyPicture(): Promise<string> {
  // The clipboard is asked while the click still counts; the picture comes later.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": drawPicture() })]);
  return t("The picture is copied.");
}

/** Returns what was done, in words. */
export async function savePicture(): Promise<string> {
  const name = `${nameFile()}.png`;
  saveFile(name, await drawPicture());
  return t("The picture is saved: {name}", { name });
}

async function drawPicture(): Promise<Blob> {
  const { drawView } = await import("./drawView");
  return await drawView(readZone());
}

/** After the title of the document: `grid-nightly-gnomon`. */
function nameFile(): string {
  const words = document.title.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? ["gnomon"];
  return words.join("-").replace(/^\.+/, "").slice(0, 80);
}
