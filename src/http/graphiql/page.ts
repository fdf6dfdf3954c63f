import type { Exchange } from '../exchange.js';
import { notFound } from '../problem.js';
import type { Route } from '../router.js';
import { READABLE, TABS_AS_A_LIST } from './accessible.js';
import { exampleQueries } from './examples.js';

/** The parts of the GraphiQL page: from its package in node_modules, so that it works without any network. */
export const graphiqlRoutes: readonly Route[] = [{ method: 'GET', path: '/graphiql/:id', handle: sendAsset }];

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>Touchstone: GraphiQL</title>
    <link rel="icon" href="/graphiql/favicon.svg">
    <link rel="stylesheet" href="/graphiql/graphiql.css">
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root">Loading GraphiQL …</div>
    <script src="/graphiql/environment.js"></script>
    <script src="/graphiql/graphiql.js"></script>
    <script src="/graphiql/start.js"></script>
  </body>
</html>
`;

/** Everything is our own. The editor writes its styles itself, which takes 'unsafe-inline'; scripts never do. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Where the editor finds its workers; said before its script is read. */
const ENVIRONMENT = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => '/graphiql/' + label + '.worker.js',
};
`;

/** Sends the page. What it needs comes from {@link graphiqlRoutes}. */
export function sendGraphiQL({ res }: Exchange): void {
  res.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  });
  res.end(PAGE);
}

interface Asset {
  readonly type: string;
  readonly text: string;
}

let assets: Promise<ReadonlyMap<string, Asset>> | undefined;

async function sendAsset({ app, res }: Exchange, name: string): Promise<void> {
  // Nine megabytes, read when somebody opens the page and not before.
  assets ??= loadAssets();
  const asset = app.production ? undefined : (await assets).get(name);
  if (asset === undefined) {
    throw notFound();
  }
  res.writeHead(200, {
    'Content-Type': `${asset.type}; charset=utf-8`,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  res.end(asset.text);
}

async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  );
  const script = (text: string): Asset => ({ type: 'text/javascript', text });
  return new Map([
    ['environment.js', script(ENVIRONMENT)],
    ['graphiql.js', script(js)],
    ['start.js', script(start())],
    ['editorWorkerService.worker.js', script(editorWorkerService)],
    ['json.worker.js', script(jsonWorker)],
    ['graphql.worker.js', script(graphqlWorker)],
    ['graphiql.css', { type: 'text/css', text: css + READABLE }],
    ['favicon.svg', { type: 'image/svg+xml', text: FAVICON }],
  ]);
}

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b6b5d"/><path d="M4 5h8M8 5v7" stroke="#fff" stroke-width="2"/></svg>';

/** Opens the page with the example queries in tabs; what somebody has typed since stands over them. */
function start(): string {
  const queries = exampleQueries().map(({ query }) => query);
  const options = {
    title: 'Touchstone',
    endpoint: '/graphql',
    subscriptionsProtocol: 'WS',
    defaultQuery: queries[0],
  };
  // The token of whoever is signed in to the web app, which no storage of this page's keeps: tabs of an earlier visit are
  // opened anew, each with the token of now. Restored by the editor itself they would have none.
  return `const token = localStorage.getItem('touchstone.token') ?? '';
const headers = JSON.stringify({ Authorization: 'Bearer ' + token }, null, 2);
const queriesBefore = () => {
  try {
    return JSON.parse(localStorage.getItem('graphiql:tabState')).tabs.map(({ query, variables }) => ({ query, variables }));
  } catch {
    return [];
  }
};
const typed = queriesBefore().filter(({ query }) => query);
localStorage.removeItem('graphiql:tabState');
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  ...${JSON.stringify(options)},
  headers,
  defaultHeaders: headers,
  shouldPersistHeaders: false,
  defaultTabs: (typed.length > 0 ? typed : ${JSON.stringify(queries)}.map((query) => ({ query })))
    .map((tab) => ({ ...tab, headers })),
});
${TABS_AS_A_LIST}`;
}
