import { useId, useRef, useState } from "react";
import { AccountMenu, type AccountMenuProps } from "./account-menu.js";
import type { Failure } from "./api/failure.js";
import type { SessionEnvironment } from "./api/session-api.js";
import { EnvironmentSwitch } from "./environment-switch.js";
import { pageAt, SECTIONS, type Section, sectionOf } from "./pages.js";
import { CommandPalette } from "./palette/command-palette.js";
import { Icon } from "./parts/icon.js";
import { LoadProblem } from "./parts/loaded.js";
import { NewSecrets } from "./parts/new-secret.js";
import { focusHeading, Page, PageOpening } from "./parts/page.js";
import { Problem } from "./parts/problem.js";
import { ProductLinks, SiteHeader } from "./parts/site-header.js";
import { Skeleton } from "./parts/skeleton.js";
import { useRoute } from "./routing/navigation.js";
import { hashOf } from "./routing/route.js";
import { useScope, useSession } from "./session/session.js";
import type { SignInFormProps } from "./sign-in/sign-in-form.js";
import { useShortcuts } from "./use-shortcuts.js";

interface FrameProps extends Pick<SignInFormProps, "onRefused" | "onSignedIn">, AccountMenuProps {
  /** Why the last sign-out, sign-in or change of the environment failed. */
  readonly failure: Failure | null;
  readonly onSwitch: (environment: SessionEnvironment) => void;
}

/** The layout of all pages: header, navigation and content. */
export function Frame({ failure, onSignOut, onSwitchAccount, onSwitch, ...signIn }: FrameProps) {
  const { path } = useRoute();
  const { environment } = useSession();
  const isAdmin = useScope("ADMIN");
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const sections = SECTIONS.filter(({ isAdminOnly = false }) => isAdmin || !isAdminOnly);
  useShortcuts(() => setPaletteOpen(true));
  return (
    <div className={`frame ${environment.toLowerCase()}`}>
      <header className="top">
        <button type="button" className="skip" onClick={focusHeading}>
          Skip to content
        </button>
        <SiteHeader>
          <button type="button" className="palette-button" onClick={() => setPaletteOpen(true)}>
            Search… <kbd>Ctrl K</kbd>
          </button>
          <AccountMenu onSignOut={onSignOut} onSwitchAccount={onSwitchAccount} />
        </SiteHeader>
      </header>
      <div className="side">
        <div>
          <EnvironmentSwitch onSwitch={onSwitch} {...signIn} />
          <SectionLinks sections={sections} />
        </div>
      </div>
      <main>
        <Problem failure={failure} />
        {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
        <NewSecrets>
          <PageOpening key={path.join("/")}>{pageAt(path)}</PageOpening>
        </NewSecrets>
      </main>
    </div>
  );
}

interface StartingFrameProps {
  /** Why the session could not be restored so far. */
  readonly failure: Failure | null;
  readonly onRetry: () => void;
}

/** The layout while the session is restored after a reload, with the sections of every scope. */
export function StartingFrame({ failure, onRetry }: StartingFrameProps) {
  return (
    <div className="frame starting">
      <header className="top">
        <SiteHeader />
      </header>
      <div className="side">
        <div>
          <div className="environments" />
          <SectionLinks sections={SECTIONS.filter(({ isAdminOnly = false }) => !isAdminOnly)} />
        </div>
      </div>
      <main>
        {failure ? (
          <Page title="Console">
            <LoadProblem failure={failure} onRetry={onRetry} />
          </Page>
        ) : (
          <Skeleton />
        )}
      </main>
    </div>
  );
}

/** The navigation. On phones it is a menu, which also has the links of the header. */
function SectionLinks({ sections }: { readonly sections: readonly Section[] }) {
  const current = sectionOf(useRoute().path);
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" className="narrow-only sections-button" popoverTarget={id}>
        <Icon path="M4 6h16M4 12h16M4 18h16" /> <span className="unseen">Menu: </span>
        {sections.find(({ name }) => name === current)?.label}
      </button>
      <div id={id} ref={menu} popover="auto" className="menu sections-menu">
        <nav className="sections" aria-label="Sections">
          <ul>
            {sections.map(({ name, label, icon }) => (
              <li key={name}>
                <a
                  href={hashOf([name])}
                  aria-current={name === current ? "page" : undefined}
                  onClick={() => menu.current?.hidePopover()}
                >
                  <Icon path={icon} />
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="narrow-only">
          <ProductLinks />
        </div>
      </div>
    </>
  );
}
