/** Work that may pause wherever it yields. It must not take more than a few milliseconds in between. */
export type Steps<Result> = Generator<undefined, Result>;
