import "./shell.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useViewer } from "../../gateway/viewer.js";
import { Announcements } from "../announcements/banner.js";
import { ChatButton } from "../ask/chat-button.js";
import { Messages } from "../messages.js";
import { AccountMenu, OrganizationMenu } from "./account.js";
import { Bell } from "./bell.js";
import { ConfirmationBanner } from "./confirmation-banner.js";
import { FactorBanner } from "./factor-banner.js";
import { Icon, Mark } from "./icon.js";
import { SearchButton } from "./search-button.js";
import { Sidebar } from "./sidebar.js";
import { type Group, limitGroups } from "./site.js";

interface ShellProps {
  readonly groups: readonly Group[];
  readonly children: ComponentChildren;
}

/** The frame of every page: the top bar and the sidebar. */
export function Shell({ groups, children }: ShellProps) {
  const { scopes } = useViewer();
  const { path } = useLocation();
  const offered = limitGroups(groups, scopes);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <button type="button" class="plain menu-button" popovertarget="sidebar" aria-label="Menu">
          <Icon path="M4 6h16M4 12h16M4 18h16" />
        </button>
        <a class="product" href="/console/" aria-label="Carbon Gateway">
          <Mark />
        </a>
        <OrganizationMenu />
        <SearchButton groups={offered} />
        <ChatButton />
        <Bell path={path} />
        <AccountMenu />
      </header>
      <div class="frame">
        <Sidebar groups={offered} />
        <div class="content">
          <ConfirmationBanner />
          <FactorBanner />
          <Announcements />
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      <Messages />
    </>
  );
}

/** True until the first page has rendered. Its heading must not receive the focus. */
let isFirstPage = true;

/**
 * Heading and content of a page. The heading is also the window's title and receives the focus after a navigation.
 */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Carbon Gateway`;
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [title]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}
