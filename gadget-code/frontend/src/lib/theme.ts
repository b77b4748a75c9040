const key = "gadget.theme";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function readTheme(): Theme {
  const stored = document.documentElement.dataset.theme;
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** public/theme.js reads the same key before the first paint. */
export function setTheme(theme: Theme): void {
  const { dataset, style } = document.documentElement;
  if (theme === "system") {
    delete dataset.theme;
    style.removeProperty("color-scheme");
  } else {
    dataset.theme = theme;
    style.colorScheme = theme;
  }
  try {
    if (theme === "system") {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, theme);
    }
  } catch {
    // Storage is off: the choice holds until the page is closed.
  }
}
