/** The Chinese texts, by their English ones: one file for each area of the page. */

import { FRAME } from "./frame";
import { PALETTE } from "./palette";

export const TEXTS: Record<string, string> = { ...FRAME, ...PALETTE };
