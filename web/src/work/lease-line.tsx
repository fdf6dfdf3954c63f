import { useEffect, useState } from 'react';
import { duration } from '../parts/format.js';
import type { OnDesk } from './desk-state.js';

const SOON_SECONDS = 120;

/** How long the task is still held, without hurry: minutes while there are minutes. Its last two are said aloud once. */
export function LeaseLine({ desk, isConnected }: { desk: OnDesk; isConnected: boolean }) {
  const left = useSecondsLeft(desk.held.leaseEndsAt);
  const isSoon = left < SOON_SECONDS;
  return (
    <>
      <span className={isSoon ? 'lease lease-soon' : 'lease'} role="timer" aria-live="off">
        {textOf(left, desk, isConnected)}
      </span>
      <span className="visually-hidden" role="status">
        {isSoon ? (left > 0 ? 'Less than two minutes are left.' : 'The time is over.') : ''}
      </span>
    </>
  );
}

function textOf(left: number, { isExtended }: OnDesk, isConnected: boolean): string {
  if (left <= 0) {
    return isConnected
      ? 'The time is over; asking whether you can keep it …'
      : 'The time is over; it is asked for again when you are back online';
  }
  const time = `${duration(left)} left`;
  if (!isConnected) {
    return time;
  }
  return isExtended ? `${time}, longer while you work` : `${time}, no longer extended`;
}

function useSecondsLeft(leaseEndsAt: number): number {
  const [now, setNow] = useState(() => performance.now());
  const left = (leaseEndsAt - now) / 1000;
  const everyMs = left < SOON_SECONDS ? 1_000 : 10_000;
  useEffect(() => {
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return (leaseEndsAt - Math.min(now, performance.now())) / 1000;
}

interface Kept {
  readonly desk: OnDesk;
  readonly isConnected: boolean;
  readonly isKeptHere: boolean;
  readonly trouble: string | null;
}

/** Where what was typed is. What is as it should be is shown and not said: it would be said at each key. */
export function SavedLine({ desk, isConnected, isKeptHere, trouble }: Kept) {
  const text = trouble ? troubleText(trouble, isKeptHere) : textFor(desk, isConnected, isKeptHere);
  const isWell = isConnected && trouble === null;
  return (
    <>
      <span className={isWell ? 'saved' : 'saved saved-offline'}>{text}</span>
      <span className="visually-hidden" role="status">
        {isWell ? '' : saidOf(isConnected, isKeptHere)}
      </span>
    </>
  );
}

/** Said once; what is shown says more. */
const saidOf = (isConnected: boolean, isKeptHere: boolean): string =>
  `${isConnected ? 'It cannot be saved just now.' : 'You are offline.'} ${isKeptHere ? 'Go on.' : 'Do not close this page.'}`;

const textFor = (desk: OnDesk, isConnected: boolean, isKeptHere: boolean): string =>
  isKeptHere ? savedText(desk, isConnected) : unkeptText(desk, isConnected);

/** Such as of a hotel's network that wants a sign-in first: its page comes in place of the server's answer. */
const troubleText = (trouble: string, isKeptHere: boolean): string =>
  `Not saved, tried again by itself: ${trouble} ${
    isKeptHere ? 'It is kept on this device; go on.' : 'Leave this page open.'
  }`;

function savedText({ version, savedVersion, isTooLong, elsewhere }: OnDesk, isConnected: boolean): string {
  if (elsewhere !== null) {
    return 'Kept on this device, and not sent until you have chosen a version';
  }
  if (!isConnected) {
    return 'Offline: kept on this device, and sent when the network is back. Go on.';
  }
  if (isTooLong) {
    return 'Kept on this device; too long to be saved before it is submitted';
  }
  if (version === 0) {
    return '';
  }
  return version === savedVersion ? 'Saved' : 'Saving …';
}

/** This browser keeps no more (its storage is full, or switched off): only the server does. */
function unkeptText({ version, savedVersion, isTooLong }: OnDesk, isConnected: boolean): string {
  if (!isConnected) {
    return 'Offline, and this browser’s storage takes nothing: leave this page open, it is sent when the network is back.';
  }
  if (isTooLong) {
    return 'Only on this page: too long to be saved, and this browser’s storage takes nothing. Submit before you close it.';
  }
  return version === savedVersion
    ? 'Saved'
    : 'Saving … (only on the server: this browser’s storage takes nothing)';
}
