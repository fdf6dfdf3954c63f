/** What axe calls serious in the editor as its package has it, mended on the page: words too pale to be read, comments in the dark among them. */
export const READABLE = `
body, .graphiql-container, .graphiql-dialog { --alpha-secondary: .9; --alpha-tertiary: .8; }
.graphiql-container .monaco-editor .line-numbers { color: hsl(219, 28%, 32%) !important; opacity: 1 !important; }
body.graphiql-dark .graphiql-container { --color-base: 219, 29%, 9%; }
body.graphiql-dark .graphiql-container .monaco-editor .line-numbers { color: hsl(219, 28%, 80%) !important; }
@media (prefers-color-scheme: dark) {
  body:not(.graphiql-light) .graphiql-container { --color-base: 219, 29%, 9%; }
  body:not(.graphiql-light) .graphiql-container .monaco-editor .line-numbers { color: hsl(219, 28%, 80%) !important; }
}
`;

/**
 * And tabs that hold buttons, which a tab may not: to a reader they are a list of buttons, of which one is current. They come
 * and go, and say themselves which of them is selected.
 */
export const TABS_AS_A_LIST = `
const mend = () => {
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    if (list.querySelector('.graphiql-tab') !== null) list.setAttribute('role', 'list');
  }
  for (const tab of document.querySelectorAll('.graphiql-tab')) {
    const isSelected = tab.getAttribute('aria-selected');
    if (isSelected === null) continue;
    tab.setAttribute('role', 'listitem');
    tab.removeAttribute('aria-selected');
    const button = tab.querySelector('button');
    if (isSelected === 'true') button?.setAttribute('aria-current', 'true');
    else button?.removeAttribute('aria-current');
  }
};
new MutationObserver(mend).observe(document.body, {
  childList: true, subtree: true, attributes: true, attributeFilter: ['aria-selected'],
});
mend();
`;
