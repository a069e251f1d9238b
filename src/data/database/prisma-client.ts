import { PrismaClient } from "../../generated/prisma/client.js";

/**
 * Creates a Prisma client over a driver adapter, with short error messages: long ones contain paths and source code.
 */
export function createClient(
  adapter: ConstructorParameters<typeof PrismaClient>[0]["adapter"],
): PrismaClient {
  return new PrismaClient({ adapter: adapter as never, errorFormat: "minimal" });
}
