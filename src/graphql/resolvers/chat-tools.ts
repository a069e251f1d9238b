import type { GraphQLSchema } from "graphql";
import { type Context, requireAccess } from "../../access/context.js";
import type { Tools } from "../../actions/chat/tools.js";
import { prepareCall } from "../../catalogue/tools/call.js";
import { describeFailure } from "../../catalogue/tools/failure.js";
import { toolsOf } from "../../catalogue/tools/offer.js";
import { isAllowed, type Tool } from "../../catalogue/tools/tool.js";
import { MAX_QUERIES } from "../../domain/chat/question.js";
import { AppError } from "../../errors.js";
import { toAppError } from "../../http/answer/failure.js";

/** Returns the tools available to the caller. They run with the caller's rights, as over MCP. */
export function toolsAs(context: Context, schema: GraphQLSchema): Tools {
  const access = requireAccess(context);
  const { shipped, offered } = toolsOf(schema);
  const allowed = [...offered.values()].filter((tool) => isAllowed(tool, access.principal.scopes));
  const toolContext = { ...context, access, wholeLists: true };
  const queryOf = ({ id: name, text: document }: Tool, variables: Readonly<Record<string, unknown>>) => ({
    name,
    variables,
    document,
  });
  return {
    offered: allowed,
    async call(name, given) {
      const tool = allowed.find((one) => one.name === name);
      if (!tool) return { error: "This tool does not exist." };
      try {
        const call = prepareCall(tool, given);
        return { query: queryOf(tool, call.variables), answer: await call.run(toolContext) };
      } catch (thrown) {
        return { error: describeFailure(toAppError(thrown, context.request.log)).text };
      }
    },
    async read(queries, name, variables) {
      const tool = shipped.get(name);
      if (!tool) throw new Error(`there is no tool ${name}`);
      if (queries.length >= MAX_QUERIES)
        throw new AppError(
          "BAD_USER_INPUT",
          "The question requires too much data at once. Ask about one part at a time.",
        );
      const data = await tool.prepared.run(toolContext, variables);
      queries.push(queryOf(tool, variables));
      return data as never;
    },
  };
}
