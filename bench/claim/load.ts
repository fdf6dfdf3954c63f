// The load over HTTP, in a process of its own (node --import tsx bench/claim/load.ts, forked): its CPU is no part of the
// node's. Told what to do by one message, it answers with one.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';
import { CLAIM, SUBMIT } from './operations.js';

/** What the load generator is told. */
export type LoadTask =
  | { readonly kind: 'cycles'; readonly inFlight: number; readonly cycles: number; readonly next: boolean }
  | { readonly kind: 'atOnce' }
  | { readonly kind: 'sockets' };

export interface LoadOrder {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly task: LoadTask;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly claimMs: number[];
  readonly submitMs: number[];
  readonly empty: number;
  /** Answers that told to come back later, by status or code. */
  readonly shed: number;
  readonly errors: string[];
}

interface Held {
  readonly id: string;
  readonly lease: { readonly epoch: number };
}

interface Claimed {
  readonly assignment: Held | null;
  readonly empty: { readonly reason: string } | null;
}

class Load {
  readonly result = {
    perSecond: 0,
    claimMs: [] as number[],
    submitMs: [] as number[],
    empty: 0,
    shed: 0,
    errors: [] as string[],
  };
  private readonly agent: Agent;

  constructor(
    private readonly order: LoadOrder,
    connections: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Claims; what was shed is asked again after the time that the answer names, which stands in the latency. */
  async claim(token: string): Promise<Held | null> {
    const began = performance.now();
    const claimed = (await this.call(token, CLAIM, { input: {} })) as { claimTask: Claimed } | null;
    this.result.claimMs.push(performance.now() - began);
    return this.given(claimed?.claimTask);
  }

  async submit(token: string, held: Held, next: boolean): Promise<Held | null> {
    const began = performance.now();
    const input = {
      assignmentId: held.id,
      leaseEpoch: held.lease.epoch,
      answer: { choice: 'yes' },
      claimNext: next,
    };
    const answer = (await this.call(token, SUBMIT, { input })) as {
      submit: { __typename: string; next: Claimed | null };
    } | null;
    this.result.submitMs.push(performance.now() - began);
    if (answer !== null && answer.submit.__typename !== 'SubmitPayload') {
      this.result.errors.push(answer.submit.__typename);
    }
    return next ? this.given(answer?.submit.next ?? undefined) : null;
  }

  private given(claimed: Claimed | undefined): Held | null {
    if (claimed === undefined) {
      return null;
    }
    if (claimed.assignment === null || claimed.assignment === undefined) {
      this.result.empty++;
      return null;
    }
    return claimed.assignment;
  }

  private async call(token: string, query: string, variables: object): Promise<unknown> {
    const body = JSON.stringify({ query, variables });
    for (let tries = 0; tries < 20; tries++) {
      const { status, text, retryAfter } = await this.post(token, body);
      const answer = parsed(text);
      if (status === 200 && answer.errors === undefined) {
        return answer.data;
      }
      const code = answer.errors?.[0]?.extensions?.code ?? String(status);
      if (!['OVERLOADED', 'RATE_LIMITED', '429', '503'].includes(code)) {
        this.result.errors.push(`${code} ${answer.errors?.[0]?.message ?? ''}`);
        return null;
      }
      this.result.shed++;
      await new Promise((resolve) => setTimeout(resolve, 1000 * (retryAfter || 1)));
    }
    this.result.errors.push('gave up');
    return null;
  }

  private post(token: string, body: string): Promise<{ status: number; text: string; retryAfter: number }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.order.url}/graphql`,
        {
          method: 'POST',
          agent: this.agent,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/graphql-response+json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text,
              retryAfter: Number(response.headers['retry-after'] ?? 0),
            }),
          );
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: { message: string; extensions?: { code?: string } }[];
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return { errors: [{ message: text.slice(0, 200) }] };
  }
}

async function cycles(load: Load, { tokens }: LoadOrder, task: LoadTask & { kind: 'cycles' }): Promise<void> {
  const free = [...tokens];
  let left = task.cycles;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: task.inFlight }, async () => {
      let held = null as { token: string; work: Held } | null;
      while (left-- > 0) {
        const token: string = held?.token ?? free.shift() ?? '';
        const work: Held | null = held?.work ?? (await load.claim(token));
        const next: Held | null = work === null ? null : await load.submit(token, work, task.next);
        held = next === null ? null : { token, work: next };
        if (held === null) {
          free.push(token);
        }
      }
    }),
  );
  load.result.perSecond = (load.result.submitMs.length * 1000) / (performance.now() - began);
}

async function atOnce(load: Load, { tokens }: LoadOrder): Promise<void> {
  const given = await Promise.all(tokens.map(async (token) => ({ token, held: await load.claim(token) })));
  await Promise.all(
    given.map(async ({ token, held }) => (held === null ? null : load.submit(token, held, false))),
  );
}

/** Every expert with a subscription to their own leases, and with work. They stay until this process is ended. */
async function sockets(load: Load, { url, tokens }: LoadOrder): Promise<void> {
  const waiting = [...tokens];
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
        await subscribe(url, token);
        await load.claim(token);
      }
    }),
  );
}

async function subscribe(url: string, token: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  await once(socket, 'message');
  const query = `subscription { leaseEvents { __typename } }`;
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  await once(socket, 'message');
  socket.on('message', (data) => {
    if ((JSON.parse(String(data)) as { type: string }).type === 'ping') {
      socket.send(JSON.stringify({ type: 'pong' }));
    }
  });
}

async function perform(order: LoadOrder): Promise<LoadResult> {
  const load = new Load(order, order.task.kind === 'cycles' ? order.task.inFlight : order.tokens.length);
  if (order.task.kind === 'cycles') {
    await cycles(load, order, order.task);
  } else if (order.task.kind === 'atOnce') {
    await atOnce(load, order);
  } else {
    await sockets(load, order);
  }
  return load.result;
}

process.once('message', (order: LoadOrder) => {
  perform(order).then(
    (result) => process.send?.(result),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
