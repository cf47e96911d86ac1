import { useEffect, useState } from "react";
import { selectTheme, storedTheme } from "./theme.js";

const THEMES = { system: "System", light: "Light", dark: "Dark" };

/** Selects the color scheme, which the browser remembers. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<string>(storedTheme);
  useEffect(() => selectTheme(theme), [theme]);
  return (
    <label className="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value)}>
        {Object.entries(THEMES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
