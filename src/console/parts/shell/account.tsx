import { signOut, switchOrganization } from "../../gateway/session.js";
import { useViewer } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { nameOf } from "../names.js";
import { useAttempt } from "../states.js";
import { Icon } from "./icon.js";
import { Menu } from "./menu.js";

/** The menu of the active organization, which switches to the user's other ones. */
export function OrganizationMenu() {
  const { organization, organizations, role } = useViewer();
  const { attempt, complaint } = useAttempt();
  const others = organizations.filter((one) => one.organization.slug !== organization.slug);
  const change = (slug: string) =>
    attempt(async () => {
      await switchOrganization(slug);
      // Reloads to clear the data of the previous organization.
      location.assign("/console/");
    });
  return (
    <Menu
      class="organization"
      label={
        <>
          <span class="unseen">Organization:</span>
          <bdi>{organization.name}</bdi>
          <Icon path="M7 10l5 5 5-5" />
        </>
      }
    >
      <p>
        <strong>{organization.name}</strong>
        <span class="quiet">{nameOf(role)}</span>
      </p>
      <a href="/console/settings/organization">Organization</a>
      {others.length > 0 && <p class="quiet">Switch to</p>}
      {others.map((one) => (
        <Button
          key={one.organization.slug}
          label={one.organization.name}
          look="link"
          onClick={() => change(one.organization.slug)}
        />
      ))}
      {complaint}
    </Menu>
  );
}

/** The menu of the user's own account. */
export function AccountMenu() {
  const { name, email } = useViewer().user;
  const { attempt, complaint } = useAttempt();
  return (
    <Menu
      class="account"
      label={
        <>
          <span aria-hidden="true">{initialsOf(name || email)}</span>
          <span class="unseen">Account menu</span>
        </>
      }
    >
      <p>
        <strong>{name}</strong>
        <span class="quiet">{email}</span>
      </p>
      <a href="/console/settings/profile">Profile</a>
      <a href="/console/settings/security">Sign-in and security</a>
      <a href="/console/settings/sessions">Sessions</a>
      <a href="/console/settings/notifications">Notification settings</a>
      <Button label="Sign out" look="link" onClick={() => attempt(signOut)} />
      {complaint}
    </Menu>
  );
}

/** Returns the first letters of the first and last word. */
const initialsOf = (name: string) => {
  const words = name.trim().split(/\s+/);
  return [...new Set([words[0], words.at(-1)])].map((word) => [...(word ?? "")][0] ?? "").join("");
};
