import { isObject } from "../is-object.js";
import { type ChangedSettings, isSetting, SETTINGS, type SettingGroup } from "./notification-settings.js";

export interface PatchFault {
  /** Such as `digest.hour`; empty for the patch as a whole. */
  readonly path: string;
  /** Such as `expected true or false`. */
  readonly expectation: string;
  readonly given: unknown;
}

/** Settings after a patch, valid only if it has no faults. */
export interface PatchResult {
  readonly changed: ChangedSettings;
  readonly faults: readonly PatchFault[];
}

const isGroup = (value: unknown): value is ChangedSettings => isObject(value);

/** Applies a JSON merge patch (RFC 7396) to a person's changed settings. `null` resets a setting to its default. */
export function patchSettings(changed: ChangedSettings, patch: unknown): PatchResult {
  const faults: PatchFault[] = [];
  const merged = merge(SETTINGS, changed, patch, "", faults);
  const { channels } = merged as { channels?: { webhook?: { enabled?: boolean; url?: string } } };
  if (faults.length === 0 && channels?.webhook?.enabled && channels.webhook.url === undefined) {
    const expectation = "expected false without channels.webhook.url";
    faults.push({ path: "channels.webhook.enabled", expectation, given: true });
  }
  return { changed: merged, faults };
}

function merge(
  group: SettingGroup,
  changed: ChangedSettings,
  patch: unknown,
  path: string,
  faults: PatchFault[],
): ChangedSettings {
  const refuse = (at: string, expectation: string, given: unknown) =>
    void faults.push({ path: at, expectation: `expected ${expectation}`, given });
  if (!isGroup(patch)) {
    refuse(path, "an object", patch);
    return changed;
  }
  const merged: Record<string, unknown> = { ...changed };
  for (const [name, value] of Object.entries(patch)) {
    const at = path === "" ? name : `${path}.${name}`;
    const node = Object.hasOwn(group, name) ? group[name] : undefined;
    if (node === undefined) refuse(at, `one of ${Object.keys(group).join(", ")}`, name);
    else if (value === null) delete merged[name];
    else if (!isSetting(node))
      merged[name] = merge(node, (merged[name] ?? {}) as ChangedSettings, value, at, faults);
    else if (!node.fits(value)) refuse(at, node.expected, value);
    else if (JSON.stringify(value) === JSON.stringify(node.initial)) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}
