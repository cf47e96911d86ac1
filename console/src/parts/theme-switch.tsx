import { useSyncExternalStore } from "react";
import { selectTheme, storedTheme, subscribeToTheme, THEMES } from "./theme.js";

/** Selects the color scheme, which the browser remembers. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribeToTheme, storedTheme);
  return (
    <label className="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => selectTheme(event.target.value)}>
        {Object.entries(THEMES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
