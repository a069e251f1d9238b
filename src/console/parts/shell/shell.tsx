import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { signOut } from "../../gateway/session.js";
import { useViewer } from "../../gateway/viewer.js";
import { Announcements } from "../announcements/banner.js";
import { Ask } from "../ask/ask.js";
import { Button } from "../button.js";
import { Messages } from "../messages.js";
import { useAttempt } from "../states.js";
import { Bell } from "./bell.js";

/** The pages, each with the scope that it requires. */
const LINKS = [
  ["Overview", "/console/", "read:emissions"],
  ["Records", "/console/records", "read:emissions"],
  ["Verification", "/console/verification", "read:emissions"],
  ["Compliance", "/console/compliance", "read:compliance"],
  ["CBAM", "/console/cbam", "read:compliance"],
  ["Credits", "/console/credits", "read:credits"],
  ["Market", "/console/market", "read:market"],
  ["Platform", "/console/platform", "admin:platform"],
  ["Settings", "/console/settings", null],
] as const;

/** The frame of every page: links to the other pages, the active organization, and the sign-out. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { organization, user, scopes } = useViewer();
  const { path } = useLocation();
  const { attempt, complaint } = useAttempt();
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="container top">
        <p class="brand">
          <strong>{organization.name}</strong>
          <span class="quiet">{user.email}</span>
        </p>
        <Bell path={path} />
        <Ask />
        <Button label="Sign out" onClick={() => attempt(signOut)} />
        <nav class="links" aria-label="Pages">
          {LINKS.filter(([, , scope]) => scope === null || scopes.includes(scope)).map(([name, href]) => (
            <a key={href} href={href} aria-current={isBelow(path, href) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        {complaint}
      </header>
      <Announcements />
      <main class="container" id="content" tabIndex={-1}>
        {children}
      </main>
      <Messages />
    </>
  );
}

const isBelow = (path: string, href: string) =>
  href === "/console/" ? path === "/console" : path.startsWith(href);

/** A page's heading and content; the heading is also the window's title. */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Carbon Gateway`;
  }, [title]);
  return (
    <>
      <h1>{title}</h1>
      {children}
    </>
  );
}
