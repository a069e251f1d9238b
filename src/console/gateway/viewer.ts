import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type ConsoleViewerQuery, graphql } from "../../generated/console.js";
import { sendWithRetries } from "./interruptions.js";
import { post } from "./post.js";
import { isSignedOut } from "./run.js";
import { createStore } from "./store.js";

const OPERATION = graphql(`
  query ConsoleViewer {
    viewer {
      user { id email name }
      isConfirmationDue
      factors { requiredFrom totpConfirmedAt passkeys { id } }
      organization { id slug name plan }
      role
      scopes
      organizations(first: 100) { organization { slug name } role }
    }
  }
`);

/** The signed-in user, in the session's active organization. */
export type Viewer = NonNullable<ConsoleViewerQuery["viewer"]>;

/** Reads the signed-in user; null if nobody is signed in. */
export async function readViewer(): Promise<Viewer | null> {
  try {
    const query = OPERATION.source;
    return (await sendWithRetries(() => post<ConsoleViewerQuery>("/graphql", { query }))).viewer;
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

/** Counts calls of `refreshViewer`. Each makes the console read the signed-in user again. */
export const viewerChanges = createStore(0);

/** Makes the console read the signed-in user again, without reloading the page. */
export const refreshViewer = (): void => viewerChanges.set(viewerChanges.get() + 1);

const ViewerContext = createContext<Viewer | null>(null);

/** Provides the signed-in user to the pages. */
export const ViewerProvider = ViewerContext.Provider;

/** Returns the signed-in user. Throws outside of the pages, which only signed-in users see. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error("useViewer is used outside of ViewerProvider");
  return viewer;
}

/** Returns true if the user has a scope. */
export const useScope = (scope: string): boolean => useViewer().scopes.includes(scope);
