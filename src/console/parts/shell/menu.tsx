import type { ComponentChildren } from "preact";
import { useId } from "../use-id.js";

interface PopoverProps {
  readonly id: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** Content over the page that a button with its id opens. Escape, a click elsewhere, and its links close it. */
export const Popover = (props: PopoverProps) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only its links are clicked
  // biome-ignore lint/a11y/useKeyWithClickEvents: a link that is opened by a key is clicked as well
  <div
    popover="auto"
    {...props}
    onClick={({ target, currentTarget }) => (target as Element).closest("a") && currentTarget.hidePopover()}
  />
);

interface MenuProps {
  readonly class: string;
  /** Content of the button. */
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button that opens links and buttons below it. */
export function Menu({ class: look, label, children }: MenuProps) {
  const id = useId();
  return (
    <div class={`menu ${look}`}>
      <button type="button" popovertarget={id}>
        {label}
      </button>
      <Popover id={id} class="menu-list">
        {children}
      </Popover>
    </div>
  );
}
