// Runs before the first paint, so that a chosen theme never flashes. It is a file of its own
// because the content policy allows no inline script.
try {
  const theme = localStorage.getItem("gadget.theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
    // Until the style sheet is there, the browser's own ground has the theme's colour.
    document.documentElement.style.colorScheme = theme;
  }
} catch {
  // Storage is off: the system's theme is used.
}
