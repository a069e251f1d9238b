import type { Reporter, TestCase } from "vitest/node";

/** Lists the tests that passed only when they were run again, each with its first failure. */
export default class RetriedTests implements Reporter {
  readonly #lines: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const reason = test.result().errors?.[0]?.message.split("\n")[0] ?? "unknown";
    this.#lines.push(`${test.module.relativeModuleId} > ${test.fullName}: ${reason}`);
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) console.log(`retried: ${line}`);
  }
}
