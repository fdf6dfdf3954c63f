import { type Logger, pino } from 'pino';

/** A logger that resolves `said(event)` when an event of that name is (or was) logged. */
export function listeningLog(): { log: Logger; said(event: string): Promise<Record<string, unknown>> } {
  const lines: Record<string, unknown>[] = [];
  const waiting: { event: string; resolve(line: Record<string, unknown>): void }[] = [];
  const log = pino(
    { level: 'debug', base: null },
    {
      write(text: string) {
        const line = JSON.parse(text);
        lines.push(line);
        for (const one of waiting.splice(0)) {
          if (one.event === line.msg) {
            one.resolve(line);
          } else {
            waiting.push(one);
          }
        }
      },
    },
  );
  return {
    log,
    said: (event) => {
      const before = lines.find((line) => line.msg === event);
      return before !== undefined
        ? Promise.resolve(before)
        : new Promise((resolve) => waiting.push({ event, resolve }));
    },
  };
}

export const silentLog: Logger = pino({ level: process.env.LIVE_LOG ?? 'silent' });

/** Resolves when `listen` hears something that `wanted` accepts. */
export function heard<T>(
  listen: (listener: (value: T) => void) => () => void,
  wanted: (value: T) => boolean,
): Promise<T> {
  return new Promise((resolve) => {
    const stop = listen((value) => {
      if (wanted(value)) {
        stop();
        resolve(value);
      }
    });
  });
}
