import { useEffect } from "preact/hooks";
import { Route, Router, useLocation } from "preact-iso";
import { useScope } from "./gateway/viewer.js";
import { CBAM } from "./pages/cbam.js";
import { INVENTORY } from "./pages/inventory.js";
import { NotFound } from "./pages/not-found.js";
import { Overview } from "./pages/overview.js";
import { PLATFORM } from "./pages/platform.js";
import { RECORDS } from "./pages/records.js";
import { SETTINGS } from "./pages/settings.js";
import { lazy } from "./parts/lazy.js";
import { SectionPage } from "./parts/shell/section-page.js";
import { Shell } from "./parts/shell/shell.js";
import type { Group, Section } from "./parts/shell/site.js";

const Compliance = lazy(async () => (await import("./pages/compliance.js")).Compliance);
const Credits = lazy(async () => (await import("./pages/credits.js")).Credits);
const Market = lazy(async () => (await import("./pages/market.js")).Market);
const Notifications = lazy(async () => (await import("./pages/notifications.js")).Notifications);
const Requests = lazy(async () => (await import("./pages/verification.js")).Requests);
const Assignments = lazy(async () => (await import("./pages/verification.js")).Assignments);

const OVERVIEW: Section = {
  name: "Overview",
  path: "/console/",
  scope: "read:emissions",
  words: "home dashboard emissions forecast",
  icon: "M4 20V10M10 20V4M16 20v-8M3 20h18",
  Content: Overview,
};
const ADMINISTRATION: Section = {
  name: "Platform",
  path: "/console/platform",
  scope: "admin:platform",
  icon: "M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01",
  areas: PLATFORM,
};

/** The pages in the sidebar, the search and the routes. The notifications have only a route. */
const GROUPS: readonly Group[] = [
  {
    name: "Measure",
    sections: [
      OVERVIEW,
      {
        name: "Records",
        path: "/console/records",
        scope: "read:emissions",
        words: "emissions activities data",
        icon: "M5 3h14v18H5zM9 8h6M9 12h6M9 16h4",
        areas: RECORDS,
      },
      {
        name: "Inventory",
        path: "/console/inventory",
        scope: "read:emissions",
        words: "ghg report vsme boundary",
        icon: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h4",
        areas: INVENTORY,
      },
    ],
  },
  {
    name: "Comply",
    sections: [
      {
        name: "Compliance",
        path: "/console/compliance",
        scope: "read:compliance",
        words: "deadlines frameworks brsr csrd ccts duties",
        icon: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4",
        Content: Compliance,
      },
      {
        name: "CBAM",
        path: "/console/cbam",
        scope: "read:compliance",
        words: "carbon border adjustment imports certificates",
        icon: "M3 12h18M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18c4 4 4 14 0 18-4-4-4-14 0-18",
        areas: CBAM,
      },
    ],
  },
  {
    name: "Trade",
    sections: [
      {
        name: "Credits",
        path: "/console/credits",
        scope: "read:credits",
        words: "offsets batches retire sell",
        icon: "M5 19C5 10 10 5 20 5c0 10-5 15-12 14M5 21c1-5 4-9 9-11",
        Content: Credits,
      },
      {
        name: "Market",
        path: "/console/market",
        scope: "read:market",
        words: "prices index exchanges allowances",
        icon: "M3 17l6-6 4 4 8-9M15 6h6v6",
        Content: Market,
      },
    ],
  },
  {
    name: "Assure",
    sections: [
      {
        name: "Verification",
        path: "/console/verification",
        scope: "read:emissions",
        words: "audit assurance certificate verifier",
        icon: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12l3 3 5-6",
        areas: [
          { path: "", name: "Verification", Area: Requests },
          { path: "assigned", name: "Assigned to me", Area: Assignments },
        ],
      },
    ],
  },
  { name: "Operate", sections: [ADMINISTRATION] },
  {
    name: "Settings",
    sections: [
      {
        name: "Settings",
        path: "/console/settings",
        icon: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
        areas: SETTINGS,
      },
    ],
  },
];

/** Routes of all pages. */
export function Pages() {
  return (
    <Shell groups={GROUPS}>
      <Router>
        <Route path="/console/" component={Home} />
        {GROUPS.flatMap(({ sections }) =>
          sections.map((section) => (
            <Route
              key={section.path}
              path={section.areas ? `${section.path}/:area?` : section.path}
              component={SectionPage}
              section={section}
            />
          )),
        )}
        <Route path="/console/notifications" component={Notifications} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  );
}

/** The start page: the overview. Leads users without `read:emissions`, such as super admins, to the platform. */
function Home() {
  const { route } = useLocation();
  const seesOverview = useScope("read:emissions");
  useEffect(() => {
    if (!seesOverview) route(ADMINISTRATION.path, true);
  }, [seesOverview]);
  return seesOverview ? <Overview /> : null;
}
