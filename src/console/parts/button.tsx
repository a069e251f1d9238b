/** Style of a button. */
export type Look = "primary" | "secondary" | "outline" | "secondary outline" | "quiet" | "link";

interface ButtonProps {
  readonly label: string;
  readonly look?: Look;
  readonly onClick: () => unknown;
  readonly disabled?: boolean;
  /** Accessible name, if the label alone is unclear. */
  readonly "aria-label"?: string;
  readonly "aria-busy"?: boolean;
  readonly "aria-expanded"?: boolean;
  readonly "aria-haspopup"?: "dialog";
}

/** A button that does not submit a form. */
export const Button = ({ label, look = "outline", onClick, ...button }: ButtonProps) => (
  <button type="button" class={look} {...button} onClick={() => onClick()}>
    {label}
  </button>
);
