import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../context.js';
import type { WebBundle } from '../runtime/web-bundle.js';
import type { Authenticator } from '../services/access/authenticator.js';
import type { Fixes } from '../services/dispatch/fixes/open-fixes.js';
import type { EventStreams } from './event-stream.js';
import type { GraphQLEngine } from './graphql.js';

/** What the HTTP side is made of. */
export interface HttpParts {
  readonly graphql: GraphQLEngine;
  readonly eventStreams: EventStreams;
  readonly authenticator: Authenticator;
  /** Says that something may have been written that the sequencer has to number. */
  readonly poke: () => void;
  /** Throws where the process cannot serve just now. */
  readonly checkReady: () => Promise<void>;
  /** The web app; undefined: none is served. */
  readonly web: WebBundle | undefined;
  /** What a collector must show to read metrics; undefined: nothing. */
  readonly metricsToken: string | undefined;
  /** What takes workers' fixes. */
  readonly fixes: Fixes;
}

/** One request and its answer. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
  readonly app: App;
  readonly parts: HttpParts;
  readonly requestId: string;
}
