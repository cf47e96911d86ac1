import { THEME_KEY } from "./site.js";

export const THEMES = { system: "System", light: "Light", dark: "Dark" };

const CHANGE = "themechange";

/** Returns the selected theme. The documentation stores "auto" for the system's. */
export function storedTheme(): keyof typeof THEMES {
  const theme = localStorage.getItem(THEME_KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Applies a theme to the page, and has the browser remember it for all pages. */
export function selectTheme(theme: string): void {
  if (theme === "system") localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, theme);
  document.documentElement.dataset["theme"] = theme;
  dispatchEvent(new Event(CHANGE));
}

/** Calls a function after each selection of a theme. @returns a function that ends this */
export function subscribeToTheme(onSelect: () => void): () => void {
  addEventListener(CHANGE, onSelect);
  return () => removeEventListener(CHANGE, onSelect);
}
