/** The font of the page: Inter with the letters and the weights that the page uses, cut out when the page is built. Other scripts have the fonts of the system. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import type { Plugin } from "vite";

const WHOLE = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const TARGET = fileURLToPath(new URL("node_modules/.cache/gnomon/inter.woff2", import.meta.url));
const ASCII = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("");
const MORE = "·–—…“”‘’«»×±°§%‰ÄÖÜäöüßÅåÆæØøÉéÈèÊêÀàÂâÇçÑñÍíÓóÚúÎîÔôÛûËëÏï";

export function subsetOfFont(): Plugin {
  return {
    name: "gnomon-font",
    async buildStart() {
      const whole = readFileSync(createRequire(import.meta.url).resolve(WHOLE));
      const subset = await subsetFont(whole, ASCII + MORE, {
        targetFormat: "woff2",
        variationAxes: { wght: { min: 400, max: 600 } },
      });
      mkdirSync(dirname(TARGET), { recursive: true });
      writeFileSync(TARGET, subset);
    },
  };
}
