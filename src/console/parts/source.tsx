/** A publication's title as a link. */
export const Publication = ({ source, sourceUrl }: { source: string; sourceUrl: string }) => (
  <a href={sourceUrl} target="_blank" rel="noreferrer">
    {source}
  </a>
);

/** The source of a figure or date with its link. Renders nothing without a source. */
export function Source({ source, sourceUrl }: { source: string | null; sourceUrl: string | null }) {
  if (!source && !sourceUrl) return null;
  return (
    <>Source: {sourceUrl ? <Publication source={source ?? sourceUrl} sourceUrl={sourceUrl} /> : source}</>
  );
}
