import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CreateFacility } from "../facilities/create-facility.js";
import type { ChosenFacility } from "./facility-search.js";

/** The facility in a record form, with functions that change it. */
export interface FacilityChoice {
  readonly facility: ChosenFacility | null;
  readonly onFacility: (facility: ChosenFacility | null) => void;
  readonly onNewFacility: () => void;
}

interface WithFacilityProps {
  readonly facility: ChosenFacility | null;
  readonly children: (choice: FacilityChoice) => ComponentChildren;
}

/** State of the facility in a record form, with a dialog that creates one. */
export function WithFacility({ facility: first, children }: WithFacilityProps) {
  const [facility, setFacility] = useState(first);
  const [isNew, setNew] = useState(false);
  return (
    <>
      {children({ facility, onFacility: setFacility, onNewFacility: () => setNew(true) })}
      {isNew && <CreateFacility onCreated={setFacility} onClose={() => setNew(false)} />}
    </>
  );
}
