import { ClientError } from '../../../src/client/errors.js';
import { type Claimed, claimedFrom, type HeldAssignment, type Lost } from '../../../src/client/held.js';
import { AnswerRefusedError, type Finished, finish } from '../../../src/client/submit.js';
import { createDeskClient, type DeskClient } from './desk-client.js';
import { findHeld } from './desk-open.js';
import * as parts from './desk-parts.js';
import { AT_FIRST, type DeskState, type DeskView, type Issues, type OnDesk, titleOf } from './desk-state.js';
import type { Ending, Work } from './draft.js';
import { type Beat, LeaseKeeper } from './lease-keeper.js';
import { LocalStore, type Unsent } from './local-store.js';
import { Observable } from './observable.js';
import { OneTab } from './one-tab.js';

/** Who has done nothing for so long is given no task unasked; leases are not extended then either. */
const AWAY_MS = 600_000;

/**
 * One person's desk: what they hold, what they typed, and what becomes of it. Nothing that was typed leaves this device
 * before the server has said that it has it, and nothing is shown as done before there is a receipt.
 */
export class Desk {
  readonly client: DeskClient;
  readonly store: LocalStore;
  readonly #keeper: LeaseKeeper;
  readonly #tab: OneTab;
  readonly view = new Observable<DeskView>(AT_FIRST);
  #isMine = false;
  /** Ends what is under way here once the desk is closed, or another tab has it. */
  #turn = new AbortController();
  #againTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(identityId: string) {
    this.store = new LocalStore(identityId);
    this.client = createDeskClient(() => this.view.set({ isConnected: false }));
    this.#keeper = new LeaseKeeper({
      onBeat: (beat) => this.#onBeat(beat),
      onUnanswered: () => this.view.set({ isConnected: false }),
      onLost: (lost) => this.#onLost(lost),
      onTrouble: (trouble) => this.view.set({ trouble }),
      onSlept: (ms) => this.#onSlept(ms),
    });
    this.#tab = new OneTab(`touchstone.desk.${identityId}`, {
      onMine: () => this.#onMine(),
      onTheirs: () => this.#onTheirs(),
    });
    void this.#tab.open();
  }

  close(): void {
    this.#turn.abort();
    clearTimeout(this.#againTimer);
    this.#keeper.close();
    this.#tab.close();
  }

  /** Works here, and no more in the other tab. */
  takeOver(): void {
    void this.#tab.take();
  }

  /** Asks for the next task. */
  async claim(): Promise<void> {
    this.#show({ kind: 'CLAIMING' });
    await this.#trying(async (signal) => {
      const result = await this.client.claimTask({}, signal);
      signal.throwIfAborted();
      if (result.__typename !== 'ClaimTaskPayload') {
        throw new ClientError('REJECTED', result.message, { code: result.code });
      }
      this.#next(claimedFrom(result));
    });
  }

  /** Goes on after a failure: looks again at what is held. */
  retry(): void {
    void this.#trying((signal) => this.#open(signal));
  }

  /** Takes what was typed: kept here in this very moment, and on the server soon after. */
  change(work: Work): void {
    const { state } = this.view.get();
    if (state.kind !== 'WORKING') {
      return;
    }
    const { desk } = state;
    const version = desk.version + 1;
    const next = { ...desk, work, version, issues: [] };
    this.#keep(desk.held.assignmentId, parts.keptOf(next));
    const isTooLong = desk.elsewhere === null && !this.#keeper.save(work, version);
    this.#show({ kind: 'WORKING', desk: { ...next, isTooLong } });
  }

  /** Puts the version from elsewhere in the place of this one, or forgets it. */
  settle(choice: 'ELSEWHERE' | 'HERE'): void {
    const { state } = this.view.get();
    if (state.kind === 'WORKING' && state.desk.elsewhere !== null) {
      const { elsewhere, work } = state.desk;
      const builtOn = state.desk.held.draft?.savedAt ?? null;
      this.#show({ kind: 'WORKING', desk: { ...state.desk, builtOn, elsewhere: null } });
      this.change(choice === 'ELSEWHERE' ? elsewhere : work);
    }
  }

  /** Gives the answer, the flag or the task back, and takes the next task with the same call where that can be. */
  async end(ending: Ending): Promise<void> {
    const { state } = this.view.get();
    if (state.kind !== 'WORKING') {
      return;
    }
    const { held, details, work } = state.desk;
    const { assignmentId, leaseEpoch } = held;
    this.#keeper.letGo();
    const unsent = { assignmentId, leaseEpoch, work, ending, title: titleOf(held, details) };
    this.view.set({ isKeptHere: this.store.keepUnsent(unsent) });
    await this.#trying((signal) => this.#send(unsent, state.desk, signal));
  }

  /** Goes on from what was lost; its text is then among the unfinished. */
  async leaveLost(): Promise<void> {
    const { state } = this.view.get();
    if (state.kind === 'LOST') {
      this.store.clearLastHeld(state.lost.assignmentId);
      await this.claim();
    }
  }

  #onMine(): void {
    this.#isMine = true;
    this.retry();
  }

  /** What was typed is in the storage that the other tab reads. */
  #onTheirs(): void {
    this.#isMine = false;
    this.#turn.abort();
    this.#turn = new AbortController();
    clearTimeout(this.#againTimer);
    this.#keeper.letGo();
    this.#show({ kind: 'OTHER_TAB' });
  }

  /** What waits to be sent comes first, then what is held, then what was held when the page was closed. */
  async #open(signal: AbortSignal): Promise<void> {
    this.#show({ kind: 'OPENING' });
    const unsent = this.store.unsent();
    if (unsent !== null) {
      await this.#send(unsent, null, signal);
    } else {
      await this.#openHeld(signal, []);
    }
  }

  /** @param issues with what was held last */
  async #openHeld(signal: AbortSignal, issues: Issues): Promise<void> {
    const last = this.store.lastHeld();
    const found = await findHeld(this.client, this.store, signal);
    signal.throwIfAborted();
    if (found === null) {
      this.#show({ kind: 'READY' });
    } else if ('held' in found) {
      const { held } = found;
      this.#next({ held, empty: null }, held.assignmentId === last ? issues : []);
    } else {
      this.#showLost(found.lost, found.work, found.work.title);
    }
  }

  async #send(unsent: Unsent, desk: OnDesk | null, signal: AbortSignal): Promise<void> {
    const { assignmentId, work, ending, title } = unsent;
    this.#show({ kind: 'SENDING', title, work, ending });
    try {
      const done = await finish(this.client, {
        held: desk?.held ?? parts.heldOf(unsent),
        answer: parts.answerOf(work, ending),
        claimNext: this.#isMine,
        signal,
      });
      signal.throwIfAborted();
      this.store.clearUnsent(assignmentId);
      this.#finished(unsent, done);
    } catch (error) {
      const issues = signal.aborted ? null : parts.refusalOf(error);
      if (issues === null) {
        throw error;
      }
      this.store.clearUnsent(assignmentId);
      this.#keep(assignmentId, { ...work, builtOn: desk?.builtOn ?? null, title });
      if (desk === null) {
        this.store.keepLastHeld(assignmentId);
        await this.#openHeld(signal, issues);
      } else {
        this.#hold(error instanceof AnswerRefusedError ? error.held : desk.held, { ...desk, issues });
      }
    }
  }

  #finished(unsent: Unsent, { receipt, lost, next }: Finished): void {
    if (lost !== null) {
      this.#showLost(lost, unsent.work, unsent.title);
      return;
    }
    this.store.dropWork(unsent.assignmentId);
    this.store.clearLastHeld(unsent.assignmentId);
    this.view.set({ done: parts.withDone(this.view.get().done, unsent, receipt) });
    if (!this.#isMine) {
      this.#show({ kind: 'OTHER_TAB' });
    } else if (unsent.ending.kind === 'RELEASE') {
      this.#show({ kind: 'READY' }); // asking at once might well bring the same task again
    } else if (next !== null) {
      this.#next(next);
    } else {
      void this.claim();
    }
  }

  #next(claimed: Claimed, issues: Issues = []): void {
    this.view.set({ isConnected: true });
    clearTimeout(this.#againTimer);
    if (claimed.held === null) {
      const { empty } = claimed;
      const waitMs = empty.retryAfterSeconds * 1000;
      this.#againTimer = setTimeout(() => this.#askAgain(), waitMs);
      this.#show({ kind: 'EMPTY', empty, againAt: performance.now() + waitMs });
      return;
    }
    const { held } = claimed;
    const { desk, isUnsaved } = parts.resumed(held, this.client, this.store.work(held.assignmentId));
    this.#hold(held, isUnsaved ? { ...desk, issues, version: desk.version + 1 } : { ...desk, issues });
  }

  /** Only for somebody who is there: a task that nobody looks at is somebody else's. */
  #askAgain(): void {
    if (document.hidden || this.#keeper.idleMs() > AWAY_MS) {
      this.#show({ kind: 'READY' });
    } else {
      void this.claim();
    }
  }

  #hold(held: HeldAssignment, desk: OnDesk): void {
    this.store.keepLastHeld(held.assignmentId);
    this.#keeper.hold(held);
    const isTooLong = desk.version !== desk.savedVersion && !this.#keeper.save(desk.work, desk.version);
    this.#show({ kind: 'WORKING', desk: { ...desk, held, isTooLong } });
  }

  #onSlept(ms: number): void {
    const { state } = this.view.get();
    if (state.kind === 'WORKING') {
      this.#show({ kind: 'WORKING', desk: parts.afterSleep(state.desk, ms) });
    }
  }

  #onBeat(beat: Beat): void {
    this.view.set({ isConnected: true, trouble: null });
    const { state } = this.view.get();
    if (state.kind !== 'WORKING' || state.desk.held.assignmentId !== beat.held.assignmentId) {
      return;
    }
    const desk = parts.afterBeat(state.desk, beat);
    if (desk.savedVersion === desk.version && desk.savedVersion !== state.desk.savedVersion) {
      this.store.keepWork(beat.held.assignmentId, parts.savedOf(desk));
    }
    this.#show({ kind: 'WORKING', desk });
  }

  #onLost(lost: Lost): void {
    const { state } = this.view.get();
    if (state.kind === 'WORKING' && state.desk.held.assignmentId === lost.assignmentId) {
      this.#showLost(lost, state.desk.work, titleOf(state.desk.held, state.desk.details));
    }
  }

  #showLost(lost: Lost, work: Work, title: string): void {
    this.view.set({ isConnected: true });
    this.store.keepLastHeld(lost.assignmentId);
    this.#keep(lost.assignmentId, { ...work, builtOn: null, title }, Date.now());
    this.#show({ kind: 'LOST', lost, work, title });
  }

  #keep(assignmentId: string, work: parts.Unsaved, toldAt: number | null = null): void {
    const isKeptHere = this.store.keepWork(assignmentId, parts.unsavedOf(work, toldAt));
    this.view.set({ isKeptHere });
  }

  async #trying(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#turn;
    try {
      await run(signal);
    } catch (error) {
      if (!signal.aborted) {
        this.#show({ kind: 'FAILED', message: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  #show(state: DeskState): void {
    this.view.set(state.kind === 'WORKING' ? { state } : { state, trouble: null });
  }
}
