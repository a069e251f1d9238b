import { useLocation } from "preact-iso";

/**
 * Returns the parameters of the address, and a function that changes some of them; an empty value removes its
 * parameter. `isReplaced` leaves no step for the browser's Back.
 */
export function useAddress() {
  const { path, query, route } = useLocation();
  const change = (parts: Readonly<Record<string, string>>, isReplaced = false) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(parts)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    route(next.size > 0 ? `${path}?${next}` : path, isReplaced);
  };
  return { query, change };
}
