import { Copyable } from "../../../parts/forms/secret-dialog.js";

interface AssistantProps {
  /** The header with the secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
}

/** Configuration that lets an AI assistant read the organization's data, and a first question for it. */
export const Assistant = ({ headers, scopes }: AssistantProps) => {
  const carbon = { type: "http", url: `${location.origin}/mcp`, headers };
  const question = scopes.includes("read:emissions")
    ? "How much did we emit in the last 12 months, and where?"
    : "Which of our data can you read?";
  return (
    <>
      <Copyable
        label="Or connect an AI assistant. Add this to its configuration"
        value={JSON.stringify({ mcpServers: { carbon } }, null, 2)}
        isCommand
      />
      <p class="quiet">Then ask: “{question}”</p>
    </>
  );
};
