import { useLocation } from "preact-iso";

/**
 * Returns the query parameters of the address, with functions that change them or build a link with changes. An empty
 * value removes its parameter. The address keeps the cursors of all pages of a list up to the current one, whose cursor
 * is `query.after`.
 */
export function useAddress() {
  const { path, query: written, route } = useLocation();
  const cursors = written["after"]?.split(" ") ?? [];
  const after = cursors.at(-1);
  const query = after === undefined ? written : { ...written, after };
  const hrefOf = (parts: Readonly<Record<string, string>>): string => {
    const next = new URLSearchParams(written);
    for (const [name, value] of Object.entries(parts)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    return next.size > 0 ? `${path}?${next}` : path;
  };
  /** Adds to the browser's history, or `replaces` the current entry. */
  const change = (parts: Readonly<Record<string, string>>, replaces = false) =>
    route(hrefOf(parts), replaces);
  return { query, cursors, change, hrefOf };
}
