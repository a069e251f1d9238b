/** Delays in minutes before each retry of a failed delivery. The delivery is abandoned when the last retry fails. */
export const RETRY_DELAYS_MINUTES: readonly number[] = [1, 5, 30, 120, 720];
