import { useCallback, useEffect, useRef } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useViewer } from "../../gateway/viewer.js";
import { isChatOpen } from "../ask/chat-button.js";
import { Button } from "../button.js";
import { Combobox } from "../fields/combobox.js";
import { Dialog } from "../forms/dialog.js";
import { writeDay } from "../moment.js";
import { writeSum } from "../numbers.js";
import { addressOf, areasBelow, type Group } from "./site.js";

const FIND = graphql(`
  query ConsoleFind($search: String!, $readsEmissions: Boolean!, $managesKeys: Boolean!) {
    facilities(search: $search, first: 8) @include(if: $readsEmissions) { nodes { code name } }
    emissionRecords(search: $search, first: 8) @include(if: $readsEmissions) {
      nodes { id reference recordedOn category co2eTonnes facility { name } }
    }
    apiKeys(statuses: [ACTIVE, EXPIRING], search: $search, first: 8) @include(if: $managesKeys) { nodes { name display } }
  }
`);

/** Maximum number of results of each kind. */
const MAX_RESULTS = 8;

/** A result of the search. */
interface Result {
  readonly group: "Pages" | "Actions" | "Facilities" | "Records" | "API keys";
  readonly name: string;
  /** Text after the name. */
  readonly note?: string;
  /** Additional search words. */
  readonly words?: string;
  /** If omitted, choosing the result opens the chat. */
  readonly href?: string;
}

interface Action extends Result {
  readonly scope: string;
}

/** Actions that the search offers. The query parameter of a link makes its page open a dialog. */
const ACTIONS: readonly Action[] = [
  { name: "Ask a question", words: "chat help", scope: "read:emissions" },
  { name: "Add record", words: "new create", scope: "write:emissions", href: "/console/records?add" },
  { name: "Import a file", words: "csv upload", scope: "write:emissions", href: "/console/records?import" },
  { name: "Create key", words: "api new", scope: "manage:keys", href: "/console/settings/api-keys?create" },
  {
    name: "Create service account",
    words: "token new",
    scope: "manage:keys",
    href: "/console/settings/service-accounts?create",
  },
].map((action) => ({ ...action, group: "Actions" }));

interface PaletteProps {
  readonly groups: readonly Group[];
  readonly onClose: () => void;
}

/** A search dialog for pages, actions, facilities, records and API keys. */
export function Palette({ groups, onClose }: PaletteProps) {
  const { scopes } = useViewer();
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => field.current?.querySelector("input")?.focus(), []);
  const known = [...pagesOf(groups), ...ACTIONS.filter(({ scope }) => scopes.includes(scope))];
  const find = useCallback((text: string, signal: AbortSignal) => findData(text, scopes, signal), [scopes]);
  const choose = (result: Result | null) => {
    onClose();
    if (result && result.href === undefined) isChatOpen.set(true);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <div class="palette" ref={field}>
        <Combobox<Result>
          label="Search the console"
          attributes={{
            "aria-label": "Pages, facilities, records and keys",
            placeholder: "Find a page, facility, record or key",
            maxLength: 100,
          }}
          chosen={null}
          suggest={(text) => rank(known, text)}
          find={find}
          labelOf={({ name }) => name}
          groupOf={({ group }) => group}
          hrefOf={({ href }) => href}
          onChoose={choose}
          staysOpen
        >
          {({ name, note }) => (
            <>
              <bdi>{name}</bdi> {note && <span class="quiet">{note}</span>}
            </>
          )}
        </Combobox>
        <Button label="Close" look="quiet" onClick={onClose} />
      </div>
    </Dialog>
  );
}

const pagesOf = (groups: readonly Group[]): readonly Result[] =>
  groups.flatMap(({ sections }) =>
    sections.flatMap((section) => [
      { group: "Pages" as const, name: section.name, words: section.words ?? "", href: section.path },
      ...areasBelow(section).map((area) => ({
        group: "Pages" as const,
        name: area.name,
        note: section.name,
        words: area.words ?? "",
        href: addressOf(section, area),
      })),
    ]),
  );

/**
 * Returns the pages, then the actions, that have a word starting with each typed word. In both groups, names that start
 * with the text come first.
 */
function rank(known: readonly Result[], text: string): readonly Result[] {
  const typed = text.trim().toLowerCase();
  const fits = ({ name, note = "", words = "" }: Result) => {
    const own = `${name} ${note} ${words}`.toLowerCase().split(/\s+/);
    return typed.split(/\s+/).every((word) => own.some((one) => one.startsWith(word)));
  };
  const isFirst = ({ name }: Result) => name.toLowerCase().startsWith(typed);
  const fitting = known.filter(fits).sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  return ["Pages", "Actions"].flatMap((group) =>
    fitting.filter((result) => result.group === group).slice(0, MAX_RESULTS),
  );
}

/** Searches facilities, records and keys. Needs at least two characters. */
async function findData(text: string, scopes: readonly string[], signal: AbortSignal) {
  if (text.length < 2) return [];
  const readsEmissions = scopes.includes("read:emissions");
  const managesKeys = scopes.includes("manage:keys");
  const found = await run(FIND, { search: text, readsEmissions, managesKeys }, signal);
  const facilities = (found.facilities?.nodes ?? []).map(({ code, name }) => ({
    group: "Facilities" as const,
    name,
    note: `${code} · records`,
    href: `/console/records?${new URLSearchParams({ facility: code })}`,
  }));
  const records = (found.emissionRecords?.nodes ?? []).map((record) => {
    const { id, reference, recordedOn, facility, co2eTonnes } = record;
    return {
      group: "Records" as const,
      name: reference ?? `Record from ${writeDay(recordedOn)}`,
      note: [writeDay(recordedOn), facility?.name, `${writeSum(co2eTonnes)} tCO₂e`]
        .filter(Boolean)
        .join(" · "),
      href: `/console/records?${new URLSearchParams({ from: recordedOn, to: recordedOn, record: id })}`,
    };
  });
  const keys = (found.apiKeys?.nodes ?? []).map(({ name, display }) => ({
    group: "API keys" as const,
    name,
    note: display,
    href: "/console/settings/api-keys",
  }));
  return [...facilities, ...records, ...keys];
}
