interface SourceProps {
  readonly source: string | null;
  readonly sourceUrl: string | null;
}

/** Where a date comes from, with its link; nothing if that was not recorded. */
export function Source({ source, sourceUrl }: SourceProps) {
  if (!source && !sourceUrl) return null;
  return (
    <small class="source">
      Source:{" "}
      {sourceUrl ? (
        <a href={sourceUrl} rel="noreferrer" target="_blank">
          {source ?? sourceUrl}
        </a>
      ) : (
        source
      )}
    </small>
  );
}
