import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { loadPayload, type Payload } from '../payload/load.js';
import { Desk } from './desk.js';
import type { TaskType } from './desk-client.js';
import type { DeskView, OnDesk } from './desk-state.js';

/** One desk for as long as the page is shown. */
export function useDesk(identityId: string): Desk | null {
  const [desk, setDesk] = useState<Desk | null>(null);
  useEffect(() => {
    const opened = new Desk(identityId);
    setDesk(opened);
    return () => {
      opened.close();
      setDesk(null);
    };
  }, [identityId]);
  return desk;
}

export const useDeskView = (desk: Desk): DeskView => useSyncExternalStore(desk.view.subscribe, desk.view.get);

export type Read<Value> =
  | { readonly kind: 'READING' }
  | { readonly kind: 'READ'; readonly value: Value }
  | { readonly kind: 'REFUSED'; readonly message: string };

/** What the task shows; read once an assignment, and again on request. */
export function usePayload({ held }: OnDesk): { payload: Read<Payload>; again: () => void } {
  const [last, setLast] = useState<{ of: string; read: Read<Payload> } | null>(null);
  const [tries, setTries] = useState(0);
  // A beat renews the lease, and not what the task shows.
  const latest = useRef(held);
  latest.current = held;
  const of = `${held.assignmentId} ${tries}`;
  useEffect(() => {
    const stop = new AbortController();
    loadPayload(latest.current, stop.signal).then(
      (value) => setLast({ of, read: { kind: 'READ', value } }),
      (error: unknown) =>
        !stop.signal.aborted && setLast({ of, read: { kind: 'REFUSED', message: messageOf(error) } }),
    );
    return () => stop.abort();
  }, [of]);
  const payload: Read<Payload> = last?.of === of ? last.read : { kind: 'READING' };
  return { payload, again: () => setTries((before) => before + 1) };
}

export function useTaskType(desk: Desk, id: string | undefined): Read<TaskType> {
  const [read, setRead] = useState<Read<TaskType>>({ kind: 'READING' });
  useEffect(() => {
    let isCurrent = true;
    if (id !== undefined) {
      desk.client.taskType(id).then(
        (value) => isCurrent && setRead({ kind: 'READ', value }),
        (error: unknown) => isCurrent && setRead({ kind: 'REFUSED', message: messageOf(error) }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [desk, id]);
  return id === undefined ? { kind: 'REFUSED', message: 'The task has no form.' } : read;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
