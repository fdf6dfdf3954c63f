import { randomBytes } from 'node:crypto';
import type { WebBundle, WebFile, WebState } from '../runtime/web-bundle.js';
import type { Exchange } from './exchange.js';

/** What stands in the bundle where each page gets a nonce of its own (web/vite.config.ts). */
const NONCE_MARK = /TOUCHSTONE_NONCE/g;
/** Names have a digest of their content: what they name never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

type Page = Pick<Exchange, 'req' | 'res' | 'url'>;

/**
 * Answers with the web app where a browser asks for a page or one of its parts, and says whether it did. Every path that
 * is nothing else is a page of the app; which one, the app decides itself.
 */
export function answerWithWeb(page: Page, web: WebBundle | undefined): boolean {
  if (web === undefined || (page.req.method !== 'GET' && page.req.method !== 'HEAD')) {
    return false;
  }
  const state = web.state();
  const file = state.kind === 'READY' ? state.files.get(page.url.pathname) : undefined;
  if (file !== undefined && !file.type.startsWith('text/html')) {
    sendFile(page, file);
    return true;
  }
  // The app's own address is nothing else, so it is answered to whoever does not say what they take, too.
  const { accept = '*/*' } = page.req.headers;
  if (!accept.includes('text/html') && !(page.url.pathname === '/' && accept.includes('*/*'))) {
    return false;
  }
  sendPage(page, state);
  return true;
}

function sendFile({ req, res, url }: Page, file: WebFile): void {
  const accepted = String(req.headers['accept-encoding'] ?? '');
  const [encoding, body] = encodedFor(accepted, file);
  res.writeHead(200, {
    'Content-Type': file.type,
    'Content-Length': body.length,
    'Cache-Control': url.pathname.startsWith('/assets/') ? FOREVER : 'public, max-age=3600',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function encodedFor(accepted: string, file: WebFile): ['br' | 'gzip' | null, Buffer] {
  if (file.brotli !== null && /\bbr\b/.test(accepted)) {
    return ['br', file.brotli];
  }
  return file.gzip !== null && /\bgzip\b/.test(accepted) ? ['gzip', file.gzip] : [null, file.bytes];
}

function sendPage(page: Page, state: WebState): void {
  const index = state.kind === 'READY' ? state.files.get('/index.html') : undefined;
  const nonce = randomBytes(16).toString('base64');
  const html =
    index === undefined ? notReady(state, nonce) : index.bytes.toString().replace(NONCE_MARK, nonce);
  page.res.writeHead(index === undefined ? 503 : 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy(nonce, index === undefined ? `'nonce-${nonce}'` : "'self'"),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(index === undefined ? { 'Retry-After': '2' } : {}),
  });
  page.res.end(page.req.method === 'HEAD' ? undefined : html);
}

/** Scripts, styles and connections are our own; only pictures may also come out of what a task's payload says. */
function policy(nonce: string, scripts: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * Comes back by itself until there is something to show. By a script: a `refresh` of an address with a fragment, such as
 * that of a link that signs in, goes nowhere.
 */
function notReady(state: WebState, nonce: string): string {
  const [title, text] =
    state.kind === 'FAILED'
      ? ['The pages could not be built', `The API works all the same. ${state.reason}`]
      : ['The pages are being built', 'This takes some seconds after an update. The API answers already.'];
  const waitMs = state.kind === 'FAILED' ? 30_000 : 1_000;
  const again = `<script nonce="${nonce}">setTimeout(() => location.reload(), ${waitMs})</script>`;
  const head = `<meta charset="utf-8">${again}<meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Touchstone: ${title}</title><style nonce="${nonce}">${LOOK}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body><main role="status"><h1>${title}</h1><p>${escaped(text)}</p></main></body></html>\n`;
}

/** As far as it can look like the pages before there are any. */
const LOOK =
  'body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:light-dark(#f6f5f2,#14171d);color:light-dark(#1d2433,#e8e6e1)}main{max-width:36rem;margin:15vh auto 0;padding:1.5rem;overflow-wrap:anywhere}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5em}';

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
