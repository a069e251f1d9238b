/** A token from the fragment of a link. */
export interface LinkToken {
  readonly kind: "sign-in" | "invitation" | "verify" | "confirm" | "reset" | "change" | "cancel";
  readonly token: string;
}

/** Removes a link's token from the address bar and the history, where it must not stay; null without one. */
export function takeToken(): LinkToken | null {
  const [, kind, token] =
    /^#(sign-in|invitation|verify|confirm|reset|change|cancel)=(cgw_(?:lnk|inv|vfy|cnf|rst|chg|cxl)_\w+)$/.exec(
      location.hash,
    ) ?? [];
  if (kind === undefined || token === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return { kind: kind as LinkToken["kind"], token };
}
