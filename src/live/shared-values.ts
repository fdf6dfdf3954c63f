import type { StreamEvent } from '../services/events/stream.js';
import { keepWith, keptWith } from './kept.js';

/**
 * Makes of an event what those of one kind of viewer see of it, once for all of them.
 * @param kind names the subscription and all that the value depends on beside the event
 */
export function sharedValue<T>(
  kind: string,
  make: (event: StreamEvent) => T | null,
): (event: StreamEvent) => T | null {
  return (event) => {
    const kept = keptWith(event);
    const known = kept.get(kind);
    if (known !== undefined) {
      return known as T | null;
    }
    const value = make(event);
    keepWith(event, { key: kind, value });
    return value;
  };
}
