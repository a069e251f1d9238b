import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface EntranceProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page for somebody who is not signed in. */
export function Entrance({ title, children }: EntranceProps) {
  useEffect(() => {
    document.title = `${title} · Carbon Gateway`;
  }, [title]);
  return (
    <main class="container entrance">
      <p class="quiet">Carbon Gateway</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
