import { useId, useRef, useState } from "preact/hooks";

/** A secret that is shown once, with a button that copies it. */
export function Once({ label, value }: { label: string; value: string }) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [said, say] = useState("");
  const copy = async () => {
    field.current?.select();
    // Over plain http from elsewhere, browsers give pages no clipboard.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    say(isCopied ? "Copied." : "Selected: press Ctrl+C to copy.");
  };
  return (
    <div>
      <label for={id}>{label}</label>
      <div class="copy">
        <input ref={field} id={id} value={value} readOnly spellcheck={false} />
        <button type="button" onClick={copy}>
          Copy
        </button>
      </div>
      <small role="status">{said}</small>
    </div>
  );
}
