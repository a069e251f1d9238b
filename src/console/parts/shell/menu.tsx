import type { ComponentChildren } from "preact";
import { useId } from "../use-id.js";

interface PopoverProps {
  readonly id: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A popover, opened by a button that refers to its id. Escape, a click outside, or a click on a link closes it. */
export const Popover = (props: PopoverProps) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only its links are clicked
  // biome-ignore lint/a11y/useKeyWithClickEvents: following a link by keyboard also fires a click
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

/** A button that opens a menu below it. */
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
