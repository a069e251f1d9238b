import { fingerprintPepper, listPeppers, type PepperSettings } from "../../access/secrets/api-key.js";
import type { Database } from "../../data/database/types.js";
import { listKeysOfOtherPeppers, type PepperGroup } from "../../data/keys/keys.js";
import { type Finding, ok, warn } from "./finding.js";

/**
 * Checks for usable keys and tokens of service accounts whose pepper differs from that of new keys. Returns no findings if no key differs and
 * KEY_PEPPER_PREVIOUS is unset.
 */
export async function examinePeppers(
  database: Database,
  settings: PepperSettings,
  now: Date,
): Promise<Finding[]> {
  const check = "key pepper";
  const [current, previous] = listPeppers(settings).map(fingerprintPepper);
  const groups = (await listKeysOfOtherPeppers(database, current ?? "none", now)).filter(
    // A key without a recorded pepper matters only during a change of the pepper.
    ({ pepper }) => pepper !== null || previous !== undefined,
  );
  const found = groups.map((group) => {
    if (group.pepper === null) {
      return warn(
        check,
        `${describe(group)} made by an older version, which did not record the pepper.`,
        `Rotate ${eachOf(group)} before you unset KEY_PEPPER_PREVIOUS: ${rotation(group)}`,
      );
    }
    if (group.pepper === previous) {
      return warn(
        check,
        `${describe(group)} made with KEY_PEPPER_PREVIOUS.`,
        `Rotate ${eachOf(group)}, then unset KEY_PEPPER_PREVIOUS: ${rotation(group)}`,
      );
    }
    return warn(
      check,
      `${describe(group)} made ${group.pepper === "none" ? "without a pepper" : "with a pepper that is not set here"}, so ${group.count === 1 ? "it is" : "they are"} refused.`,
      `Set KEY_PEPPER_PREVIOUS to ${group.pepper === "none" ? "none" : "that pepper"}, or create new ${group.kind}s instead.`,
    );
  });
  if (found.length > 0 || previous === undefined) return found;
  return [ok(check, "No usable key was made with KEY_PEPPER_PREVIOUS: it can be unset.")];
}

const eachOf = ({ count }: PepperGroup) => (count === 1 ? "it" : "each of them");

/** Returns the command that rotates the first key or service account of a group. */
const rotation = ({ kind, ids }: PepperGroup) =>
  `npm run gateway -- ${kind === "key" ? "keys" : "service-accounts"} rotate ${ids[0]} --overlap 168`;

/** Describes a group, such as `2 keys (<id>, <id>) were`. */
function describe({ kind, count, ids }: PepperGroup): string {
  const more = count > ids.length ? ", …" : "";
  const named = kind === "key" ? "" : `of service account${count === 1 ? "" : "s"} `;
  return `${count} ${kind}${count === 1 ? "" : "s"} (${named}${ids.join(", ")}${more}) ${count === 1 ? "was" : "were"}`;
}
