import type { Override } from "../../catalogued.js";

/** Names the place of a new service account, which the answer has next to its token. */
export const createServiceAccount: Override = (derived) => ({
  ...derived,
  createdId: (data) => (data as { readonly service_account: { readonly id: string } }).service_account.id,
});
