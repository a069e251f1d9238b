/** A token from the fragment of a link. For `sign-in-failed`, it is the id of the refused request. */
export interface LinkToken {
  readonly kind:
    | "sign-in"
    | "invitation"
    | "verify"
    | "confirm"
    | "reset"
    | "change"
    | "cancel"
    | "disown"
    | "challenge"
    | "sign-in-failed";
  readonly token: string;
}

const TOKEN =
  /^#(sign-in|invitation|verify|confirm|reset|change|cancel|disown|challenge)=(cgw_(?:lnk|inv|vfy|cnf|rst|chg|cxl|dsn|chl)_\w+)$/;
const FAILED = /^#(sign-in-failed)=([\da-f-]{36})$/i;

/** Returns a link's token and removes it from the address bar and the history; null if the address has none. */
export function takeToken(): LinkToken | null {
  const [, kind, token] = TOKEN.exec(location.hash) ?? FAILED.exec(location.hash) ?? [];
  if (kind === undefined || token === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return { kind: kind as LinkToken["kind"], token };
}
