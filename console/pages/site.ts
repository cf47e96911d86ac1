import "@fontsource-variable/inter/wght.css";
import "../src/styles/tokens.css";
import "../src/styles/site-header.css";
import "./site.css";
import { pageData } from "../src/api/page-data.js";
import { selectTheme, storedTheme } from "../src/parts/theme.js";

// The header that the pages share: its theme switch, and its links to pages that this service serves.
for (const page of pageData.disabled) {
  for (const link of document.querySelectorAll<HTMLElement>(`[data-page="${page}"]`)) link.hidden = true;
}
document.documentElement.dataset["loaded"] = "";

const darkScheme = matchMedia("(prefers-color-scheme: dark)");

/** Calls a function now, and after each change of the theme. */
export function onTheme(apply: (isDark: boolean) => void): void {
  const update = () => {
    const theme = storedTheme();
    apply(theme === "dark" || (theme === "system" && darkScheme.matches));
  };
  update();
  darkScheme.addEventListener("change", update);
  themeSwitch?.addEventListener("change", update);
}

const themeSwitch = document.querySelector<HTMLSelectElement>(".theme-switch select");
if (themeSwitch) {
  themeSwitch.value = storedTheme();
  themeSwitch.addEventListener("change", () => selectTheme(themeSwitch.value));
}
