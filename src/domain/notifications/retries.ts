/** How long after each failed attempt a delivery is tried again; after one more it is given up. */
export const RETRY_DELAYS_MINUTES: readonly number[] = [1, 5, 30, 120, 720];
