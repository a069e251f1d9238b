import type { ComponentChildren } from "preact";

/** A list of names and values, with a dash for missing values. */
export function Details({ items }: { items: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="details">
      {Object.entries(items).map(([name, value]) => (
        <div key={name}>
          <dt class="quiet">{name}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}
