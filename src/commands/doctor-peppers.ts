import { fingerprintPepper, listPeppers, type PepperSettings } from "../auth/key.js";
import type { Database } from "../data/database.js";
import { listKeysOfOtherPeppers, type PepperGroup } from "../data/keys.js";
import { type Finding, ok, warn } from "./doctor-finding.js";

/**
 * Whether keys that can still be used were made with another pepper than that of new ones. Finds nothing where there are
 * none and nobody has changed it.
 */
export async function examinePeppers(
  database: Database,
  settings: PepperSettings,
  now: Date,
): Promise<Finding[]> {
  const check = "key pepper";
  const [current, previous] = listPeppers(settings).map(fingerprintPepper);
  const groups = (await listKeysOfOtherPeppers(database, current ?? "none", now)).filter(
    // Of which nobody knows more, and nobody has changed anything.
    ({ pepper }) => pepper !== null || previous !== undefined,
  );
  const found = groups.map((group) => {
    if (group.pepper === null) {
      return warn(
        check,
        `With which pepper ${describe(group)} made is not known: older versions did not note it.`,
        "Rotate them (keys rotate <id> --overlap 72) before KEY_PEPPER_PREVIOUS is unset.",
      );
    }
    if (group.pepper === previous) {
      return warn(
        check,
        `${describe(group)} made with KEY_PEPPER_PREVIOUS.`,
        "Rotate them (keys rotate <id> --overlap 72), and unset KEY_PEPPER_PREVIOUS when none is left.",
      );
    }
    return warn(
      check,
      `${describe(group)} made with a pepper that is not set here${group.pepper === "none" ? ", none" : ""}: refused.`,
      `Set KEY_PEPPER_PREVIOUS to ${group.pepper === "none" ? "none" : "it"}, or make new keys in their place.`,
    );
  });
  if (found.length > 0 || previous === undefined) return found;
  return [ok(check, "No key that can be used was made with KEY_PEPPER_PREVIOUS: it can be unset.")];
}

/** Such as `2 keys (<id>, <id>) were`. */
function describe({ count, ids }: PepperGroup): string {
  const more = count > ids.length ? ", …" : "";
  return `${count} ${count === 1 ? "key" : "keys"} (${ids.join(", ")}${more}) ${count === 1 ? "was" : "were"}`;
}
