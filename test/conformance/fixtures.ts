import {
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { Serve } from "../../src/mcp/surface.js";

const IMAGE = {
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
};
const AUDIO = { mimeType: "audio/wav", data: "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=" };

const text = (written: string): ContentBlock => ({ type: "text", text: written });
const embedded = (uri: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "An embedded resource." },
});

const TOOLS: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [{ type: "image", ...IMAGE }] },
  test_audio_content: { content: [{ type: "audio", ...AUDIO }] },
  test_embedded_resource: { content: [embedded("test://embedded-resource")] },
  test_multiple_content_types: {
    content: [text("Several."), { type: "image", ...IMAGE }, embedded("test://mixed-content-resource")],
  },
  test_error_handling: { isError: true, content: [text("This tool fails on purpose.")] },
  test_tool_with_progress: { content: [text("Done.")] },
};

type Prompt = (given: Readonly<Record<string, string>>) => ContentBlock;

const PROMPTS: Readonly<Record<string, Prompt>> = {
  test_simple_prompt: () => text("This is a simple prompt for testing."),
  test_prompt_with_arguments: ({ arg1, arg2 }) => text(`arg1='${arg1}', arg2='${arg2}'`),
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => embedded(resourceUri),
  test_prompt_with_image: () => ({ type: "image", ...IMAGE }),
};

const RESOURCES = [
  { uri: "test://static-text", name: "static-text", mimeType: "text/plain", text: "A static text." },
  { uri: "test://static-binary", name: "static-binary", mimeType: IMAGE.mimeType, blob: IMAGE.data },
];

/** Returns the content of a resource. Throws ResourceNotFoundError for an unknown URI. */
function readFixture(uri: string): ReadResourceResult["contents"][number] {
  const found = RESOURCES.find((resource) => resource.uri === uri);
  if (found) return found;
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  return { uri, mimeType: "application/json", text: JSON.stringify({ id }) };
}

function find<Value>(table: Readonly<Record<string, Value>>, name: string): Value {
  const value = table[name];
  if (value === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown: ${name}`);
  return value;
}

/** Serves the tools, prompts and resources that the suite's scenarios call by name, instead of the gateway's. */
export const serveFixtures: Serve = (server) => {
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: "A fixture.",
      inputSchema: { type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name } }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (name === "test_tool_with_progress" && progressToken !== undefined) {
      for (const progress of [0, 50, 100])
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
    }
    return find(TOOLS, name);
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({ name, description: "A fixture." })),
  }));
  server.setRequestHandler("prompts/get", ({ params }): GetPromptResult => {
    const content = find(PROMPTS, params.name)(params.arguments ?? {});
    return { messages: [{ role: "user", content }] };
  });
  server.setRequestHandler("resources/list", () => ({
    resources: RESOURCES.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [readFixture(uri)] }));
};
