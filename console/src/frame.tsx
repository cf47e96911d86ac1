import { useState } from "react";
import { AccountMenu } from "./account-menu.js";
import type { SessionEnvironment } from "./api/session-api.js";
import { CommandPalette } from "./command-palette.js";
import { EnvironmentSwitch } from "./environment-switch.js";
import { pageAt, SECTIONS, sectionOf } from "./pages.js";
import { Icon } from "./parts/icon.js";
import { focusHeading } from "./parts/page.js";
import { SiteHeader } from "./parts/site-header.js";
import { useRoute } from "./routing/navigation.js";
import { hashOf } from "./routing/route.js";
import { useScope } from "./session/session.js";
import type { SignInFormProps } from "./sign-in/sign-in-form.js";
import { useShortcuts } from "./use-shortcuts.js";

interface FrameProps extends Pick<SignInFormProps, "onRefused" | "onSignedIn"> {
  readonly onSignOut: (isEverywhere: boolean) => void;
  readonly onSwitch: (environment: SessionEnvironment) => void;
}

/** The layout of all pages: header, navigation and content. */
export function Frame({ onSignOut, onSwitch, ...signIn }: FrameProps) {
  const { path } = useRoute();
  const section = sectionOf(path);
  const isAdmin = useScope("ADMIN");
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const sections = SECTIONS.filter(({ isAdminOnly = false }) => isAdmin || !isAdminOnly);
  useShortcuts(() => setPaletteOpen(true));
  return (
    <div className="frame">
      <header className="top">
        <button type="button" className="skip" onClick={focusHeading}>
          Skip to content
        </button>
        <SiteHeader>
          <button type="button" className="palette-button" onClick={() => setPaletteOpen(true)}>
            Search… <kbd>Ctrl K</kbd>
          </button>
          <AccountMenu onSignOut={onSignOut} />
        </SiteHeader>
      </header>
      <div className="side">
        <div>
          <EnvironmentSwitch onSwitch={onSwitch} {...signIn} />
          <nav className="sections" aria-label="Sections">
            <ul>
              {sections.map(({ name, label, icon }) => (
                <li key={name}>
                  <a href={hashOf([name])} aria-current={name === section ? "page" : undefined}>
                    <Icon path={icon} />
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </div>
      </div>
      <main key={path.join("/")}>{pageAt(path)}</main>
      {isPaletteOpen && <CommandPalette sections={sections} onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}
