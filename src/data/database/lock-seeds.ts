/** Seeds of per-organization advisory locks. Each kind of work has its own, so that kinds do not block each other. */
export const LOCK_SEEDS = { loads: 4327181094, credits: 4327181095, exports: 4327181096 };
