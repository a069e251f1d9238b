import { fingerprintPepper, listPeppers, type PepperSettings } from "../../access/secrets/api-key.js";
import { unseal } from "../../access/secrets/sealing.js";
import type { Config } from "../../config.js";
import type { Database } from "../../data/database/types.js";
import { listKeysOfOtherPeppers, type PepperGroup } from "../../data/keys/keys.js";
import { listSealed, type SealedSecrets } from "../../data/keys/sealed-secrets.js";
import { countOf } from "../../domain/texts/count-of.js";
import { type Finding, ok, warn } from "./finding.js";

/**
 * Checks for usable API keys, service account tokens and secrets in SEALED whose pepper differs from that of new ones.
 * Without any, returns no findings unless KEY_PEPPER_PREVIOUS is set.
 */
export async function examinePeppers(
  database: Database,
  settings: PepperSettings,
  now: Date,
): Promise<Finding[]> {
  const check = "key pepper";
  const [current, previous] = listPeppers(settings).map(fingerprintPepper);
  const groups = (await listKeysOfOtherPeppers(database, current ?? "none", now)).filter(
    // A key without a recorded pepper matters only while the pepper is being changed.
    ({ pepper }) => pepper !== null || previous !== undefined,
  );
  const found = groups.map((group) => {
    if (group.replacedUntil !== null && (group.pepper === null || group.pepper === previous)) {
      return warn(
        check,
        `${describe(group)} created ${group.pepper === null ? "by an older version" : "with KEY_PEPPER_PREVIOUS"}, and replaced.`,
        `Unset KEY_PEPPER_PREVIOUS only after ${group.replacedUntil.toISOString()}, when the overlap has ended.`,
      );
    }
    if (group.pepper === null) {
      return warn(
        check,
        `${describe(group)} created by an older version, which did not record the pepper.`,
        `Rotate ${eachOf(group)} before you unset KEY_PEPPER_PREVIOUS: ${rotation(group)}`,
      );
    }
    if (group.pepper === previous) {
      return warn(
        check,
        `${describe(group)} created with KEY_PEPPER_PREVIOUS.`,
        `Rotate ${eachOf(group)}, then unset KEY_PEPPER_PREVIOUS: ${rotation(group)}`,
      );
    }
    return warn(
      check,
      describeRefused(group),
      `Set KEY_PEPPER_PREVIOUS to ${group.pepper === "none" ? "none" : "that pepper"}, or create new ${group.kind}s instead.`,
    );
  });
  found.push(...(await examineSealed(database, settings)));
  if (found.length > 0 || previous === undefined) return found;
  return [ok(check, "No usable key was created with KEY_PEPPER_PREVIOUS: it can be unset.")];
}

/** Describes keys that this configuration refuses. */
const describeRefused = (group: PepperGroup) =>
  `${describe(group)} created ${group.pepper === "none" ? "without a pepper" : "with a pepper that is not set here"}, so ${group.count === 1 ? "it is" : "they are"} refused.`;

/** Returns warnings that gateways may refuse new keys and tokens, because they have other peppers than this process. */
export async function listPepperWarnings(
  database: Database,
  config: PepperSettings & Pick<Config, "isProduction">,
  now: Date,
): Promise<string[]> {
  const accepted = listPeppers(config).map(fingerprintPepper);
  const groups = await listKeysOfOtherPeppers(database, "", now);
  if (groups.length === 0 && config.isProduction && config.keyPepper === undefined)
    return ["KEY_PEPPER is not set. If the gateways have one, they refuse what you create here."];
  return groups
    .filter(({ pepper }) => pepper !== null && !accepted.includes(pepper))
    .map(
      (group) =>
        `${describeRefused(group)} If the gateways have other peppers than this command, they refuse what you create here: set the same KEY_PEPPER and KEY_PEPPER_PREVIOUS.`,
    );
}

/** Maximum number of secrets to unseal of each kind. */
const MAX_SEALED = 10_000;

/** Sealed secrets to check, with advice on how to seal them again (`renew`) or set them up again (`replace`). */
const SEALED: readonly {
  readonly kind: SealedSecrets;
  readonly owner: string;
  readonly renew: string;
  readonly replace: string;
}[] = [
  {
    kind: "authenticatorApps",
    owner: "authenticator app",
    renew:
      "Unset KEY_PEPPER_PREVIOUS only after their users have signed in, or reset them: npm run gateway -- users reset-factors <email>",
    replace: "reset them: npm run gateway -- users reset-factors <email>",
  },
  {
    kind: "identityProviders",
    owner: "identity provider",
    renew: "Unset KEY_PEPPER_PREVIOUS only after owners have saved them again, with PUT /v1/sso.",
    replace: "have owners save them again, with PUT /v1/sso.",
  },
  {
    kind: "webhookEndpoints",
    owner: "webhook endpoint",
    renew:
      "Unset KEY_PEPPER_PREVIOUS only after their organizations have rotated them, with POST /v1/webhook-endpoints/{id}/rotate-secret.",
    replace: "have their organizations rotate them, with POST /v1/webhook-endpoints/{id}/rotate-secret.",
  },
  {
    kind: "notificationWebhooks",
    owner: "notification webhook",
    renew:
      "Unset KEY_PEPPER_PREVIOUS only after their users have set the URL again, in the settings of notifications.",
    replace: "have their users set the URL again, in the settings of notifications.",
  },
  {
    kind: "unsentMails",
    owner: "unsent e-mail",
    renew: "Unset KEY_PEPPER_PREVIOUS only after they have been sent.",
    replace: "have their recipients request them again.",
  },
];

/** Counts the secrets of each kind that were sealed with a different pepper than new ones. */
async function examineSealed(database: Database, settings: PepperSettings): Promise<Finding[]> {
  const found = SEALED.map((kind) => examineKind(database, settings, kind));
  return (await Promise.all(found)).flat();
}

async function examineKind(
  database: Database,
  settings: PepperSettings,
  { kind, owner, renew, replace }: (typeof SEALED)[number],
): Promise<Finding[]> {
  const peppers = listPeppers(settings);
  const sealed = await listSealed(database, kind, MAX_SEALED);
  const opened = (by: typeof peppers) => sealed.filter((secret) => unseal(secret, by) !== null).length;
  const [current, any] = [opened(peppers.slice(0, 1)), opened(peppers)];
  const found: Finding[] = [];
  if (any > current)
    found.push(
      warn(
        "key pepper",
        `The secrets of ${countOf(any - current, owner)} are sealed with KEY_PEPPER_PREVIOUS.`,
        renew,
      ),
    );
  if (sealed.length > any)
    found.push(
      warn(
        "key pepper",
        `The secrets of ${countOf(sealed.length - any, owner)} are sealed with a pepper that is not set here.`,
        `Set KEY_PEPPER_PREVIOUS to that pepper, or ${replace}`,
      ),
    );
  return found;
}

const eachOf = ({ count }: PepperGroup) => (count === 1 ? "it" : "each of them");

/** Returns the command that rotates the first key or service account of a group. */
const rotation = ({ kind, ids }: PepperGroup) =>
  `npm run gateway -- ${kind === "key" ? "keys" : "service-accounts"} rotate ${ids[0]} --overlap 168`;

/** Describes a group, such as `2 keys (<id>, <id>) were`. */
function describe({ kind, count, ids }: PepperGroup): string {
  const more = count > ids.length ? ", …" : "";
  const named = kind === "key" ? "" : `of service account${count === 1 ? "" : "s"} `;
  return `${countOf(count, kind)} (${named}${ids.join(", ")}${more}) ${count === 1 ? "was" : "were"}`;
}
