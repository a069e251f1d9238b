import config from "../../.config/vitest.js";

// A test waits for the suite's process, whose scenarios have time limits of their own.
const own = { include: ["test/conformance/check.ts"], testTimeout: 600_000 };

export default { ...config, test: { ...config.test, ...own } };
