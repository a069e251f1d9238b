import { useLocation } from "preact-iso";

/**
 * Returns the parameters of the address, and a function that changes some of them; an empty value removes its
 * parameter.
 */
export function useAddress() {
  const { path, query, route } = useLocation();
  const change = (parts: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(parts)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    route(next.size > 0 ? `${path}?${next}` : path);
  };
  return { query, change };
}
