import { PrismaClient } from "../../generated/prisma/client.js";

/** A Prisma client over a driver adapter. Messages are terse: the long ones hold paths and source. */
export function createClient(
  adapter: ConstructorParameters<typeof PrismaClient>[0]["adapter"],
): PrismaClient {
  return new PrismaClient({ adapter: adapter as never, errorFormat: "minimal" });
}
