import type { Server } from "@modelcontextprotocol/server";
import type { Admission } from "../access/admission.js";
import type { Principal } from "../access/principal.js";
import type { Arrival } from "../http/arrival.js";

/** One message of a client, with its caller. */
export interface McpCall {
  readonly arrival: Arrival;
  readonly principal: Principal;
  /** Null for messages that cost nothing. */
  readonly admission: Admission | null;
}

/** Adds the requests that one part of the surface answers to the server of a message. */
export type Serve = (server: Server, call: McpCall) => void;
