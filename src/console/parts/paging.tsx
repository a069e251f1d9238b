import { useAddress } from "./address.js";
import { Button } from "./button.js";
import { Checkbox } from "./fields/checkboxes.js";

export interface PagingProps {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Buttons for the first and next page of a list. The address keeps the cursor in `after`. */
export function Paging({ pageInfo: { hasNextPage, endCursor } }: PagingProps) {
  const { query, change } = useAddress();
  const isLater = query["after"] !== undefined;
  if (!hasNextPage && !isLater) return null;
  return (
    <nav class="paging" aria-label="Pagination">
      <Button label="First page" disabled={!isLater} onClick={() => change({ after: "" })} />
      <Button label="Next page" disabled={!hasNextPage} onClick={() => change({ after: endCursor ?? "" })} />
    </nav>
  );
}

/** Returns true if the address asks a list to show all items. */
export const useShowsAll = (): boolean => useAddress().query["all"] !== undefined;

/** The checkbox that makes a list show all items, from the first page. */
export function ShowAll({ label }: { label: string }) {
  const { query, change } = useAddress();
  const isAll = query["all"] !== undefined;
  return (
    <Checkbox label={label} checked={isAll} onChange={() => change({ all: isAll ? "" : "yes", after: "" })} />
  );
}
