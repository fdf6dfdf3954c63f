import type { StreamEvent } from '../services/events/stream.js';

const valuesOf = new WeakMap<StreamEvent, Map<string, unknown>>();

/**
 * Makes of an event what those of one kind of viewer see of it, once for all of them: whoever gets the same value gets the
 * same bytes. @param kind names the subscription and all that the value depends on beside the event
 */
export function sharedValue<T>(
  kind: string,
  make: (event: StreamEvent) => T | null,
): (event: StreamEvent) => T | null {
  return (event) => {
    const values = valuesOf.get(event) ?? new Map<string, unknown>();
    valuesOf.set(event, values);
    const known = values.get(kind);
    if (known !== undefined) {
      return known as T | null;
    }
    const value = make(event);
    values.set(kind, value);
    return value;
  };
}
