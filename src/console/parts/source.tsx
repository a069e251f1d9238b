/** The title of a publication as a link to it. */
export const Publication = ({ source, sourceUrl }: { source: string; sourceUrl: string }) => (
  <a href={sourceUrl} target="_blank" rel="noreferrer">
    {source}
  </a>
);

/** The source of a figure or a date, with its link; nothing if none is recorded. */
export function Source({ source, sourceUrl }: { source: string | null; sourceUrl: string | null }) {
  if (!source && !sourceUrl) return null;
  return (
    <>Source: {sourceUrl ? <Publication source={source ?? sourceUrl} sourceUrl={sourceUrl} /> : source}</>
  );
}
