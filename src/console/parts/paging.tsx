import { useAddress } from "./address.js";
import { Button } from "./button.js";
import { Checkbox } from "./fields/checkboxes.js";

export interface PagingProps {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Maximum number of cursors in the address, which browsers send to the gateway. */
const MAX_CURSORS = 20;

/** Buttons for the first, previous and next page of a list. */
export function Paging({ pageInfo: { hasNextPage, endCursor } }: PagingProps) {
  const { cursors, change } = useAddress();
  const isLater = cursors.length > 0;
  if (!hasNextPage && !isLater) return null;
  const turn = (to: readonly string[]) => change({ after: to.slice(-MAX_CURSORS).join(" ") });
  return (
    <nav class="paging" aria-label="Pagination">
      <Button label="First page" disabled={!isLater} onClick={() => turn([])} />
      <Button label="Previous page" disabled={!isLater} onClick={() => turn(cursors.slice(0, -1))} />
      <Button label="Next page" disabled={!hasNextPage} onClick={() => turn([...cursors, endCursor ?? ""])} />
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
