/**
 * What a named or numbered character of HTML, such as `&eacute;`, stands for. Stands in the bundle for the library that markdown-it
 * asks (vite.config.ts): the browser has that table of 14 KB already.
 */
export const decodeHTMLStrict = (text: string): string =>
  new DOMParser().parseFromString(text, 'text/html').documentElement.textContent ?? text;
