/** Links to the areas of a page; that of the path `chosen` is the present one. `base` is the address of the page. */
export function AreaLinks({
  label,
  base,
  areas,
  chosen,
}: {
  label: string;
  base: string;
  areas: readonly { readonly path: string; readonly name: string }[];
  chosen: string | undefined;
}) {
  return (
    <nav class="links" aria-label={label}>
      {areas.map(({ path, name }) => (
        <a
          key={path}
          href={path ? `${base}/${path}` : base}
          aria-current={path === chosen ? "page" : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}
