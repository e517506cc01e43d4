/*
 * The chosen language of the samples, applied before the first paint: a classic script in the head. It also marks the
 * page as one with scripts, so that buttons that need them show without moving anything.
 */
document.documentElement.dataset['script'] = '';
try {
  const chosen = localStorage.getItem('herald-docs-language');
  if (chosen !== null && /^[a-z]+$/.test(chosen)) document.documentElement.dataset['language'] = chosen;
} catch {
  // Storage is blocked: every visit starts with the first tab.
}
