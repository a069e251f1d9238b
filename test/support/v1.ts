import { listGroups } from "../../.config/api-page.js";
import type { Endpoint } from "../../src/rest/endpoint.js";

/** Lists the endpoints of the wider API. Those that need more than the schema cannot be called. */
export const listV1 = async (): Promise<readonly Endpoint[]> => (await listGroups())[1].endpoints;
