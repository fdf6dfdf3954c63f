import type { Position } from '../services/events/stream.js';
import { isAhead } from './stream-reader.js';

interface Kept {
  readonly at: Position;
  readonly value: Promise<unknown>;
}

interface Topic {
  readers: number;
  kept: Kept | null;
  /** Aborts with the last reader. */
  readonly gone: AbortController;
}

/** What subscribers of one state with the same rights have read together. */
export interface SharedRead<T> {
  /** The state as of a position of its stream or later. Whoever asks for the same gets the same object. */
  read(at: Position): Promise<T>;
  /** What is kept of later than this is of a past that is no more: the stream began anew. */
  restart(at: Position): void;
  /** To be called once, when the subscriber leaves. */
  leave(): void;
}

/**
 * Reads a state once for all subscribers of this node who see the same of it, so that a thousand dashboards of one
 * project cost one query a change. What is kept is gone with the last subscriber.
 */
export class SharedReads {
  readonly #topics = new Map<string, Topic>();

  /**
   * @param key names the state and all that decides what may be seen of it
   * @param load is told by its signal once nobody waits for it any more
   */
  join<T>(key: string, load: (signal: AbortSignal) => Promise<T>): SharedRead<T> {
    const topic = this.#topics.get(key) ?? { readers: 0, kept: null, gone: new AbortController() };
    this.#topics.set(key, topic);
    topic.readers += 1;
    return {
      read(at) {
        if (topic.kept === null || !isAtLeast(topic.kept.at, at)) {
          const kept: Kept = { at, value: load(topic.gone.signal) };
          topic.kept = kept;
          // A failure is told to those who asked for it, and the next one asks anew.
          kept.value.catch(() => {
            if (topic.kept === kept) {
              topic.kept = null;
            }
          });
        }
        return topic.kept.value as Promise<T>;
      },
      restart(at) {
        if (topic.kept !== null && isAhead(topic.kept.at, at)) {
          topic.kept = null;
        }
      },
      leave: () => {
        topic.readers -= 1;
        if (topic.readers === 0 && this.#topics.get(key) === topic) {
          this.#topics.delete(key);
          topic.gone.abort();
        }
      },
    };
  }

  /** States that somebody watches. */
  get size(): number {
    return this.#topics.size;
  }
}

function isAtLeast(a: Position, b: Position): boolean {
  return a.epoch === b.epoch && a.seq >= b.seq;
}
