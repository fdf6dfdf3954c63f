import { keep, kept } from '../api/kept.js';

/** Light, dark, or what the system says. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'touchstone.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function theme(): Theme {
  const chosen = kept(KEY);
  return THEMES.find((known) => known === chosen) ?? 'system';
}

/** Shows the pages in the theme that was chosen last. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}

export function chooseTheme(chosen: Theme): void {
  keep(KEY, chosen);
  applyTheme();
}

export const nextTheme = (current: Theme): Theme =>
  THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
