import { OnceDialog } from "../../../parts/forms/once.js";

interface NewKeyProps {
  readonly made: {
    readonly key: string;
    readonly apiKey: { readonly name: string; readonly scopes: readonly string[] };
  };
}

/** The new key, which the console shows only once, with sample calls. */
export function NewKey({ made: { key, apiKey } }: NewKeyProps) {
  const calls = apiKey.scopes.map((scope) => {
    const path = scope.replace("read:", "/api/v1/ext/v1/");
    return `curl -H 'X-API-Key: ${key}' ${location.origin}${path}`;
  });
  return (
    <OnceDialog
      title={`The key of ${apiKey.name}`}
      intro="Keep it now: it is not stored, and this is the only time that it is shown."
      label="Your new API key"
      value={key}
      done="I have kept it"
    >
      <p>Calls that work with it:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{calls.join("\n")}</code>
      </pre>
    </OnceDialog>
  );
}
