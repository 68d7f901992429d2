/** Roles and grants of accounts, and random passwords. */

export const ROLES = ["none", "viewer", "user", "operator", "admin"] as const;
export const GRANT_ROLES = ["viewer", "user", "operator"] as const;

/** The words for the states of a token. */
export const TOKEN_STATES: Record<string, string> = {
  valid: /* text */ "valid",
  expired: /* text */ "expired",
  revoked: /* text */ "revoked",
};

export interface Grant {
  role: string;
  kind: string;
  pattern: string;
}

/** A grant as the list of accounts writes it: `user on dag etl_*`. */
export function parseGrant(text: string): Grant | undefined {
  const found = /^(\w+) on (dag|tag) (.+)$/s.exec(text);
  return found ? { role: found[1] as string, kind: found[2] as string, pattern: found[3] as string } : undefined;
}

const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_+=.:";
const LENGTH = 20;

/** A random password of about 118 bits, without letters that look alike. */
export function makePassword(): string {
  const limit = 256 - (256 % LETTERS.length);
  let made = "";
  while (made.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < limit && made.length < LENGTH) made += LETTERS[byte % LETTERS.length];
  }
  return made;
}
