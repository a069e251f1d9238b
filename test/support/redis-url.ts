import { inject } from "vitest";

const server = inject("redisUrl");

/** Redis of this worker: a database of its own, emptied for each test file. Null if the tests run without services. */
export const redisUrl = server && `${server}/${process.env["VITEST_POOL_ID"]}`;
