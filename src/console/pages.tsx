import { Route, Router } from "preact-iso";
import { useScope } from "./gateway/viewer.js";
import { Cbam } from "./pages/cbam.js";
import { Compliance } from "./pages/compliance.js";
import { Credits } from "./pages/credits.js";
import { Market } from "./pages/market.js";
import { NotFound } from "./pages/not-found.js";
import { Overview } from "./pages/overview.js";
import { Platform } from "./pages/platform.js";
import { Records } from "./pages/records.js";
import { Settings } from "./pages/settings.js";
import { later } from "./parts/later.js";
import { Shell } from "./parts/shell/shell.js";

/** Every page and its address. */
export function Pages() {
  return (
    <Shell>
      <Router>
        <Route path="/console/" component={Home} />
        <Route path="/console/records/:area?" component={Records} />
        <Route path="/console/verification/:area?" component={Verification} />
        <Route path="/console/compliance" component={Compliance} />
        <Route path="/console/cbam/:area?" component={Cbam} />
        <Route path="/console/credits" component={Credits} />
        <Route path="/console/market" component={Market} />
        <Route path="/console/platform/:area?" component={Platform} />
        <Route path="/console/notifications" component={Notifications} />
        <Route path="/console/settings/:area?" component={Settings} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  );
}

const Notifications = later(async () => (await import("./pages/notifications.js")).Notifications);
const Verification = later(async () => (await import("./pages/verification.js")).Verification);

/** The first page. For a super admin without an organization it is the platform. */
const Home = () => (useScope("read:emissions") ? <Overview /> : <Platform />);
