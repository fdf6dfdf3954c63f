import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/** A connection as pg keeps it; its types leave out what a cancel request needs. */
interface Connection {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: {
    readonly stream: Socket;
    on(event: 'dataRow', told: () => void): void;
  };
}

/** The process of the server that works for a connection. */
export interface Backend {
  readonly pid: number;
  /** Asks the server to give up what it runs for this connection. Resolves when it has heard, or cannot be reached. */
  cancel(): Promise<void>;
  /** Ends the connection at once: what was sent already and is not read yet may be a million rows. */
  cut(): void;
  /** Says with each row how many have come from now on, of whatever statements, and how many bytes; to one at a time, null for nobody. */
  onRow(told: ((come: { rows: number; bytes: number }) => void) | null): void;
  /** Lets everything else on this machine go first. Does nothing where the server is on another machine, or hides it. */
  yieldToOthers(): Promise<void>;
  /** The same where Linux groups processes by session, and back: a read that takes long yields, short ones need not. Nobody waits for it. */
  yieldAsGroup(yields: boolean): void;
}

/** The backend of a connection that has just been made: asked once for each. */
export function backendOf(client: pg.ClientBase): Backend {
  const made = client as unknown as Connection;
  const pid = pidOf(client);
  const { stream } = made.connection;
  let rows = 0;
  let before = 0;
  let toTell: Parameters<Backend['onRow']>[0] = null;
  const isHere = () => isOurs(pid, stream.localPort);
  const group = new Group(pid, isHere);
  made.connection.on('dataRow', () => toTell?.({ rows: ++rows, bytes: stream.bytesRead - before }));
  return {
    pid,
    cancel: () => cancel(made),
    cut: () => void stream.destroy(),
    onRow(told) {
      rows = 0;
      before = stream.bytesRead;
      toTell = told;
    },
    async yieldToOthers() {
      if (await isHere()) {
        setPriority(pid, constants.priority.PRIORITY_LOW);
      }
    },
    yieldAsGroup: (yields) => group.move(yields ? GROUP.yielding : constants.priority.PRIORITY_NORMAL),
  };
}

/** The number of the server's process for a connection; 0 where it was never made. */
export const pidOf = (client: pg.ClientBase): number => (client as unknown as Connection).processID ?? 0;

/**
 * A group that yields has a tenth of a core on which one other computes: with the lowest priority (1 in 70) it would not be done within its
 * time. Groups may be changed ten times a second in all, by whomever (sched(7)).
 */
const GROUP = { yielding: 10, restMs: 100 } as const;

/**
 * The group of a process. Where Linux groups processes by their session (sched_autogroup_enabled), priorities count within a group only,
 * and each process of PostgreSQL's is a session of its own: then it is the group that has to yield.
 */
class Group {
  private wanted: number = constants.priority.PRIORITY_NORMAL;
  private moving = false;

  constructor(
    private readonly pid: number,
    private readonly isHere: () => Promise<boolean>,
  ) {}

  /** Goes on until it is so, the last that was asked for; ends where there are no groups, or the process has gone. */
  move(priority: number): void {
    this.wanted = priority;
    if (!this.moving) {
      this.moving = true;
      void this.follow().finally(() => {
        this.moving = false;
      });
    }
  }

  private async follow(): Promise<void> {
    if (!(await this.isHere())) {
      return;
    }
    for (let done: number | null = null; done !== this.wanted; ) {
      const priority: number = this.wanted;
      const failed = await writeFile(`/proc/${this.pid}/autogroup`, String(priority)).catch(
        (error: NodeJS.ErrnoException) => error.code ?? 'UNKNOWN',
      );
      if (failed === undefined) {
        done = priority;
      } else if (failed === 'EAGAIN') {
        await wait(GROUP.restMs);
      } else {
        return;
      }
    }
  }
}

const CANCEL_MS = 2_000;
const CANCEL_REQUEST = 80_877_102;

/** PostgreSQL's CancelRequest: a connection of its own that says whose, needs no login, and is closed by the server. */
function cancel({ host, port, processID, secretKey }: Connection): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processID ?? 0, 8);
  message.writeInt32BE(secretKey ?? 0, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(CANCEL_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('connect', () => socket.write(message));
    socket.on('close', () => resolve());
    socket.resume();
  });
}

/**
 * Whether a process of this machine is the one at the other end of our connection: PostgreSQL titles it with the port that
 * we came from. A number alone would name some other process where the server runs elsewhere, or in a container.
 */
async function isOurs(pid: number, localPort: number | undefined): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return localPort !== undefined && title.startsWith('postgres: ') && title.includes(`(${localPort})`);
}
