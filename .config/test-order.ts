import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders whose tests start processes and wait for them. */
const WAITING = /\/test\/(commands|services)\//;

/** Spaces files evenly between 0 and `end`. */
const spread = (files: readonly TestSpecification[], end: number) =>
  files.map((file, index) => ({ file, place: (end * index) / files.length }));

/** Interleaves files that wait with files that compute, so that no waiting file runs alone at the end. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const largestFirst = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification) => WAITING.test(moduleId);
    const waiting = spread(largestFirst.filter(isWaiting), 0.8);
    const computing = spread(
      largestFirst.filter((file) => !isWaiting(file)),
      1,
    );
    return [...waiting, ...computing].sort((a, b) => a.place - b.place).map(({ file }) => file);
  }
}
