import { todayInUtc } from "../../../parts/days.js";
import { Copyable, SecretDialog } from "../../../parts/forms/secret-dialog.js";
import { Assistant } from "../credentials/assistant.js";

interface NewTokenProps {
  readonly created: {
    readonly token: string;
    readonly serviceAccount: { readonly name: string; readonly scopes: readonly string[] };
  };
}

/** The new token with sample calls. The console shows it only once. */
export function NewToken({ created: { token, serviceAccount } }: NewTokenProps) {
  const { name, scopes } = serviceAccount;
  const call = (path: string, ...options: readonly string[]) =>
    [`curl '${location.origin}/v1${path}'`, `-H 'Authorization: Bearer ${token}'`, ...options].join(
      " \\\n  ",
    );
  const record = JSON.stringify({ recorded_on: todayInUtc(), scope: "scope_1", co2e_tonnes: 1.25 });
  const read = scopes.includes("read:emissions") ? "/emissions/records?limit=1" : "/auth/me";
  return (
    <SecretDialog
      title={`Token for "${name}" created`}
      intro="Copy it now. You won't be able to see it again."
      label="Your new token"
      value={token}
    >
      <Copyable label="Try it: read" value={call(read)} isCommand />
      {scopes.includes("write:emissions") && (
        <>
          <Copyable
            label="Try it: add a record"
            value={call(
              "/emissions/records",
              "-H 'Content-Type: application/json'",
              "-H 'Idempotency-Key: first-record'",
              `-d '${record}'`,
            )}
            isCommand
          />
          <p class="quiet">
            Enter your own date and amount first. A repeated call with the same Idempotency-Key does not add a
            second record.
          </p>
        </>
      )}
      <Assistant headers={{ Authorization: `Bearer ${token}` }} scopes={scopes} />
    </SecretDialog>
  );
}
