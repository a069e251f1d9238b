import { useAddress } from "../../parts/address.js";
import { AllDeclarations } from "./declarations/all-declarations.js";
import { OneDeclaration } from "./declarations/one-declaration.js";

/** The declarations of the organization, or the one in the address. */
export function Declarations() {
  const { id } = useAddress().query;
  return id === undefined ? <AllDeclarations /> : <OneDeclaration id={id} />;
}
