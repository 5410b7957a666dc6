// Runs before anything is drawn, so that a dark page never flashes white. browser/preferences.ts writes what this reads.
try {
  const { state } = JSON.parse(localStorage.getItem("galley-studio") ?? '{"state":{}}');
  const isDark =
    state.theme === "dark" || (state.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
} catch {
  // Without storage the page begins light and the frame sets the theme a moment later.
}
