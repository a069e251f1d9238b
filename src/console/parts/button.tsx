/** How a button looks. */
export type Look = "primary" | "secondary" | "outline" | "secondary outline" | "quiet" | "link";

interface ButtonProps {
  readonly label: string;
  readonly look?: Look;
  readonly onClick: () => unknown;
  readonly disabled?: boolean;
  /** Accessible name, where the label says too little. */
  readonly "aria-label"?: string;
  readonly "aria-busy"?: boolean;
  readonly "aria-expanded"?: boolean;
}

/** A button that does something, and sends no form. */
export const Button = ({ label, look = "outline", onClick, ...button }: ButtonProps) => (
  <button type="button" class={look} {...button} onClick={() => onClick()}>
    {label}
  </button>
);
