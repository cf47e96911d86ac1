import { THEME_KEY } from "./site.js";

export type Theme = "system" | "light" | "dark";

/** Returns the selected theme. The documentation stores "auto" for the system's. */
export function storedTheme(): Theme {
  const theme = localStorage.getItem(THEME_KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Applies a theme to the page, and has the browser remember it for all pages. */
export function selectTheme(theme: string): void {
  if (theme === "system") localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, theme);
  document.documentElement.dataset["theme"] = theme;
}
