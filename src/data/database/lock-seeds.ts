/** Seeds of the advisory locks of one organization. Each kind of work has its own, so that it waits for no other kind. */
export const LOCK_SEEDS = { loads: 4327181094, credits: 4327181095, exports: 4327181096 };
