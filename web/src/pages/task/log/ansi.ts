/** Colours of a terminal in a line of a log: a text becomes pieces with class names. Other control sequences are left out. */

export interface Piece {
  text: string;
  /** Class names of `log.module.css`, empty for plain text. */
  look: string;
}

const ESCAPE = "\u001b";
/** A sequence of the terminal: colours (`m`), moves of the cursor, titles of windows. */
const SEQUENCE = /\u001b(?:\[([0-9;:]*)([ -/]*[@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** The pieces of a line. Each line begins without a colour: a terminal would go on, but a view that begins anywhere could not know. */
export function parseAnsi(line: string): Piece[] {
  if (!line.includes(ESCAPE)) return line === "" ? [] : [{ text: line, look: "" }];
  const pieces: Piece[] = [];
  const look = new Look();
  let last = 0;
  for (const found of line.matchAll(SEQUENCE)) {
    add(pieces, line.slice(last, found.index), look);
    last = found.index + found[0].length;
    if (found[2] === "m") look.apply((found[1] ?? "").split(/[;:]/).map(Number));
  }
  add(pieces, line.slice(last), look);
  return pieces;
}

/** The line without colours. */
export function stripAnsi(line: string): string {
  return line.includes(ESCAPE) ? line.replace(SEQUENCE, "") : line;
}

function add(pieces: Piece[], text: string, look: Look): void {
  if (text) pieces.push({ text, look: look.classes() });
}

class Look {
  private fore = "";
  private back = "";
  private readonly marks = new Set<string>();

  classes(): string {
    return [
      this.fore && `ansi-${this.fore}`,
      this.back && `ansi-on-${this.back}`,
      ...[...this.marks].map((one) => `ansi-${one}`),
    ]
      .filter(Boolean)
      .join(" ");
  }

  apply(codes: number[]): void {
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at] ?? 0;
      if (code === 38 || code === 48) at += this.applyExtended(code, codes.slice(at + 1));
      else this.applyOne(code);
    }
  }

  private applyOne(code: number): void {
    if (code === 0) {
      this.fore = this.back = "";
      this.marks.clear();
    } else if (code in MARKS) this.marks.add(MARKS[code] as string);
    else if (code === 22) ["bold", "dim"].forEach((one) => this.marks.delete(one));
    else if (code === 23) this.marks.delete("italic");
    else if (code === 24) this.marks.delete("underline");
    else if (code === 39) this.fore = "";
    else if (code === 49) this.back = "";
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) this.fore = COLOURS[code % 10] as string;
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) this.back = COLOURS[code % 10] as string;
  }

  /** `38;5;N` and `38;2;R;G;B`: the nearest of the eight colours, whose contrast is known. Returns how many codes it took. */
  private applyExtended(code: number, rest: number[]): number {
    const isIndexed = rest[0] === 5;
    const colour = isIndexed ? nearestIndexed(rest[1] ?? 0) : nearest(rest[1] ?? 0, rest[2] ?? 0, rest[3] ?? 0);
    if (code === 38) this.fore = colour;
    else this.back = colour;
    return isIndexed ? 2 : 4;
  }
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const MARKS: Record<number, string> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline" };

function nearestIndexed(index: number): string {
  if (index < 16) return COLOURS[index % 8] as string;
  if (index >= 232) return index < 244 ? "black" : "white";
  const cube = index - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red: number, green: number, blue: number): string {
  const most = Math.max(red, green, blue);
  const bit = (one: number) => (one > most * 0.6 && one > 40 ? 1 : 0);
  return COLOURS[bit(red) + 2 * bit(green) + 4 * bit(blue)] as string;
}
