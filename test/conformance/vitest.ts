import config from "../../.config/vitest.js";

// Tests wait for the suite's process, whose scenarios have their own time limits.
const own = { include: ["test/conformance/check.ts"], testTimeout: 600_000 };

export default { ...config, test: { ...config.test, ...own } };
