import { Dialog } from "../../../parts/forms/dialog.js";
import { Once } from "../../../parts/once.js";

export interface NewKeyProps {
  readonly made: {
    readonly key: string;
    readonly apiKey: { readonly name: string; readonly scopes: readonly string[] };
  };
  readonly onClose: () => void;
}

/** The key itself, which is shown this once, and calls that work with it. */
export function NewKey({ made: { key, apiKey }, onClose }: NewKeyProps) {
  const calls = apiKey.scopes.map((scope) => {
    const path = scope.replace("read:", "/api/v1/ext/v1/");
    return `curl -H 'X-API-Key: ${key}' ${location.origin}${path}`;
  });
  return (
    <Dialog title={`The key of ${apiKey.name}`}>
      <p>Keep it now: it is not stored, and this is the only time that it is shown.</p>
      <Once label="Your new API key" value={key} />
      <p>Calls that work with it:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{calls.join("\n")}</code>
      </pre>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  );
}
