import { describe, expect, it, vi } from "vitest";
import { showProgress } from "../../src/commands/import/progress.js";

/** Creates a stream that collects what is written to it. */
function makeStream(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { stream: { isTTY, columns: 80, write } as never, text: () => written.join("") };
}

const SHOW_CURSOR = "\u001b[?25h";

describe("the progress of an import", () => {
  it("shows rows, rows per second and time left in 80 columns, then each step with its seconds", () => {
    vi.useFakeTimers();
    const { stream, text } = makeStream(true);
    const progress = showProgress(stream, 4_000_000_000);
    vi.advanceTimersByTime(20_000);
    progress.update(1_000_000_000, 10_000_000);
    progress.step("Writing …");
    const bar = /Reading █{5}░{15} 25% \| 10000000 rows \| 500000 rows\/s \| 60 s left/.exec(text())?.[0];
    expect(bar?.length).toBeLessThanOrEqual(80);
    vi.advanceTimersByTime(2_500);
    progress.stop();
    progress.stop();
    vi.advanceTimersByTime(5_000);
    expect(text().split(SHOW_CURSOR)[1]).toMatch(/\rWriting … 0 s\rWriting … 1 s\rWriting … 2 s\n$/);
    vi.useRealTimers();
  });

  it("shows no end for a pipe, whose length is unknown", () => {
    const { stream, text } = makeStream(true);
    const progress = showProgress(stream, 0);
    progress.update(1_000, 10);
    progress.stop();
    expect(text()).toMatch(/Reading \| 10 rows \| \d+ rows\/s/);
    expect(text()).not.toContain("%");
  });

  it("is silent without a terminal", () => {
    const { stream, text } = makeStream(false);
    const progress = showProgress(stream, 1_000);
    progress.update(500, 10);
    progress.step("Writing …");
    progress.stop();
    expect(text()).toBe("");
  });
});
