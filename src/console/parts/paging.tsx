interface PagingProps {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Whether this is a later page than the first. */
  readonly isLater: boolean;
  readonly onFirst: () => void;
  readonly onNext: (after: string) => void;
}

/** The ways to the first and to the next page of a list. */
export function Paging({ pageInfo: { hasNextPage, endCursor }, isLater, onFirst, onNext }: PagingProps) {
  if (!hasNextPage && !isLater) return null;
  return (
    <nav class="paging" aria-label="Pages of the list">
      <button type="button" class="outline" disabled={!isLater} onClick={onFirst}>
        First page
      </button>
      <button
        type="button"
        class="outline"
        disabled={!hasNextPage}
        onClick={() => endCursor !== null && onNext(endCursor)}
      >
        Next page
      </button>
    </nav>
  );
}
