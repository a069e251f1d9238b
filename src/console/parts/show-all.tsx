import { useAddress } from "./address.js";

/** Whether a list shows all of its items, which the address says. */
export const useShowsAll = (): boolean => useAddress().query["all"] !== undefined;

/** The checkbox that makes a list show all of its items, from its first page. */
export function ShowAll({ label }: { label: string }) {
  const { query, change } = useAddress();
  const isAll = query["all"] !== undefined;
  return (
    <label>
      <input
        type="checkbox"
        checked={isAll}
        onChange={() => change({ all: isAll ? "" : "yes", after: "" })}
      />
      {label}
    </label>
  );
}
