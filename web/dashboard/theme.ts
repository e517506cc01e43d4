const STORED = 'herald.theme';
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const DARK = '(prefers-color-scheme: dark)';
/** The rules of the style sheets for dark pages; a chosen theme changes when they apply. */
const darkRules: CSSMediaRule[] = [];

export let theme: Theme = chosen();

export function setTheme(next: Theme): void {
  theme = next;
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // A browser that stores nothing: the choice lasts until the next page load.
  }
  applyTheme();
}

/** Called once before the first page is shown, and after each choice. */
export function applyTheme(): void {
  if (darkRules.length === 0) darkRules.push(...findDarkRules());
  const applies = { system: DARK, light: 'not all', dark: 'all' }[theme];
  for (const rule of darkRules) rule.media.mediaText = applies;
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}

function findDarkRules(): CSSMediaRule[] {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.conditionText === DARK);
}

function chosen(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return themes.find((each) => each === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
