import { Copyable } from "../../../parts/forms/once.js";

interface AssistantProps {
  /** The header that has the secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
}

/** The configuration with which an assistant reads the ledger, and a first question to ask it. */
export const Assistant = ({ headers, scopes }: AssistantProps) => {
  const carbon = { type: "http", url: `${location.origin}/mcp`, headers };
  const question = scopes.includes("read:emissions")
    ? "How much did we emit in the last 12 months, and where?"
    : "Which of our data can you read?";
  return (
    <>
      <Copyable
        label="Or let an assistant read your ledger: add this to its configuration"
        value={JSON.stringify({ mcpServers: { carbon } }, null, 2)}
        isCommand
      />
      <p class="quiet">Then ask it: “{question}”</p>
    </>
  );
};
