import config from "../../.config/vitest.js";

export default { ...config, test: { ...config.test, include: ["test/openapi/check.ts"] } };
