/** Texts of the page What if. */

export const WHAT_IF: Record<string, string> = {};
