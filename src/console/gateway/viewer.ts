import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type ConsoleViewerQuery, graphql } from "../../generated/console.js";
import { sendPatiently } from "./interruptions.js";
import { post } from "./post.js";
import { isSignedOut } from "./run.js";

const OPERATION = graphql(`
  query ConsoleViewer {
    viewer {
      user { id email name }
      organization { id slug name plan }
      role
      scopes
      organizations(first: 100) { organization { slug name } role }
    }
  }
`);

/** The person who is signed in, in the organization that is active in the session. */
export type Viewer = NonNullable<ConsoleViewerQuery["viewer"]>;

/** Reads who is signed in; null if nobody is. */
export async function readViewer(): Promise<Viewer | null> {
  try {
    const query = OPERATION.source;
    return (await sendPatiently(() => post<ConsoleViewerQuery>("/graphql", { query }))).viewer;
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

const ViewerContext = createContext<Viewer | null>(null);

/** Gives the pages the person who is signed in. */
export const ViewerProvider = ViewerContext.Provider;

/** The person who is signed in. Pages are shown to nobody else. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error("useViewer is used outside of ViewerProvider");
  return viewer;
}

/** Whether the person's role has a scope. */
export const useScope = (scope: string): boolean => useViewer().scopes.includes(scope);
