import type { ComponentType } from "preact";
import { useAddress } from "../parts/address.js";
import { AllRequests } from "./verification/all-requests.js";
import { Assigned } from "./verification/assigned.js";
import { OneRequest } from "./verification/request/one-request.js";

/** Creates a page that shows the request in the address, or else a list. */
const oneOr = (List: ComponentType) => () => {
  const { id } = useAddress().query;
  return id === undefined ? <List /> : <OneRequest key={id} id={id} />;
};

/** The organization's verification requests. */
export const Requests = oneOr(AllRequests);

/** The requests that the user verifies. */
export const Assignments = oneOr(Assigned);
