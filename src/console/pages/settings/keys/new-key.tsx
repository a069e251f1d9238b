import { SecretDialog } from "../../../parts/forms/secret-dialog.js";
import { Assistant } from "../credentials/assistant.js";

interface NewKeyProps {
  readonly created: {
    readonly key: string;
    readonly apiKey: { readonly name: string; readonly scopes: readonly string[] };
  };
}

/** The new key with sample calls. The console shows it only once. */
export function NewKey({ created: { key, apiKey } }: NewKeyProps) {
  const calls = apiKey.scopes.map((scope) => {
    const path = scope.replace("read:", "/api/v1/ext/v1/");
    return `curl -H 'X-API-Key: ${key}' ${location.origin}${path}`;
  });
  return (
    <SecretDialog
      title={`API key "${apiKey.name}" created`}
      intro="Copy it now. You won't be able to see it again."
      label="Your new API key"
      value={key}
    >
      <p>Try it with one of these calls:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{calls.join("\n")}</code>
      </pre>
      <Assistant headers={{ "X-API-Key": key }} scopes={apiKey.scopes} />
    </SecretDialog>
  );
}
