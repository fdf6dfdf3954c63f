import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What `vite` in this folder talks to while one works on the app; a built bundle is served by the API itself. */
const API = 'http://127.0.0.1:4000';

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      // markdown-it's decodeHTMLStrict, of which the browser has the table.
      {
        find: /^entities$/,
        replacement: fileURLToPath(new URL('./src/payload/entities.ts', import.meta.url)),
      },
      // The same parser without Node's Buffer.
      { find: /^csv-parse\/sync$/, replacement: 'csv-parse/browser/esm/sync' },
    ],
  },
  // The server puts a fresh one in for each page (src/http/web-pages.ts).
  html: { cspNonce: 'TOUCHSTONE_NONCE' },
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // Files as data: URLs would need more of the content security policy.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/graphql': { target: API, ws: true }, '/v1': API } },
});
