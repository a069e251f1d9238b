import { randomUUID } from "node:crypto";
import { createContexts } from "../../access/context.js";
import { principalOfKey } from "../../access/secrets/api-key.js";
import { requireOrganization } from "../../actions/people/organizations.js";
import { startCore } from "../../app/core.js";
import { createParts } from "../../app/parts.js";
import { readTools } from "../../app/tools.js";
import { prepareCall } from "../../catalogue/tools/call.js";
import { describeFailure } from "../../catalogue/tools/failure.js";
import { isAllowed, type Tool } from "../../catalogue/tools/tool.js";
import { readConfig } from "../../config.js";
import type { Database } from "../../data/database/types.js";
import type { Scope } from "../../domain/scopes.js";
import { AppError, OperatorError } from "../../errors.js";
import { ownSchema } from "../../graphql/schema/schema.js";
import type { RequestInfo } from "../../http/request-info.js";
import { createSite } from "../../http/site.js";
import { createLogger } from "../../log.js";
import { limitTime } from "../../time-limit.js";
import type { Runner } from "../runner.js";

/** Lists the tools that a key with these scopes may call. */
export async function listTools(
  environment: Runner["environment"],
  scopes: readonly Scope[],
): Promise<readonly Pick<Tool, "name" | "title" | "description" | "inputSchema">[]> {
  const { tools } = await readTools(readConfig(environment), ownSchema());
  return [...tools.values()]
    .filter((tool) => isAllowed(tool, scopes))
    .map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema }));
}

interface CallContext extends Pick<Runner, "environment" | "clock"> {
  readonly database: Database;
}

interface RequestedCall {
  readonly name: string;
  readonly given: object;
  /** Slug of the organization. */
  readonly organization: string;
  readonly scopes: readonly Scope[];
}

/**
 * Calls a tool as an organization's API key with these scopes would. Throws OperatorError if no such tool is available,
 * and with the message that a model would get if the tool fails.
 */
export async function callTool(
  { environment, clock, database }: CallContext,
  { name, given, organization: slug, scopes }: RequestedCall,
): Promise<object> {
  const config = readConfig(environment);
  const tool = (await readTools(config, ownSchema())).tools.get(name);
  if (!tool || !isAllowed(tool, scopes)) {
    throw new OperatorError(
      `No tool ${name} is available with these scopes. See: npm run gateway -- tool list`,
    );
  }
  const organization = await requireOrganization(database, slug);
  const { id, plan: tier } = organization;
  const log = createLogger("warn");
  const parts = createParts();
  try {
    const site = createSite(config.publicUrl, () => config.port);
    const core = await startCore({ config, database, log, site, clock }, parts);
    parts.add(core.events);
    const principal = principalOfKey({ id, organization, scopes: [...scopes], tier });
    const request: RequestInfo = {
      id: randomUUID(),
      traceId: undefined,
      now: clock(),
      inTime: limitTime(database.timeLimitMs),
      renewTime: () => undefined,
      log,
      address: () => "",
      record: { principal: principal.log, operation: name, route: undefined, cost: undefined },
    };
    const open = createContexts(core.resources, { wholeLists: true });
    const rateLimit = Promise.resolve(await core.resources.peekBudget(id, tier));
    const context = open(request, {
      principal,
      admittedAt: performance.now(),
      rateLimit,
      wasExceeded: false,
    });
    return await prepareCall(tool, given).run(context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new OperatorError(describeFailure(error).text);
  } finally {
    await parts.stop();
  }
}
