import { isOfSamePerson } from './identity.js';
import { keep, kept } from './kept.js';

/** Who uses this browser: a token, and whether the server still takes it. */
export type SessionState =
  | { readonly kind: 'SIGNED_OUT' }
  | { readonly kind: 'SIGNED_IN'; readonly token: string }
  /** The server refused the token. What is on the screen stays there until there is a new one. */
  | { readonly kind: 'ENDED'; readonly token: string };

const KEY = 'touchstone.token';

type Waiting = (token: string) => void;

/** The one session of this page, shared with other tabs of this browser through its storage. */
class Session {
  #state: SessionState = stateOf(kept(KEY));
  readonly #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];

  constructor() {
    addEventListener('storage', (event) => {
      if (event.key === KEY) {
        this.#hear(event.newValue);
      }
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) {
        this.#hear(kept(KEY)); // brought back by "back", perhaps to somebody else
      }
    });
  }

  readonly state = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A token that was tried and is good. */
  signIn(token: string): void {
    keep(KEY, token);
    this.#take(token);
  }

  /** {@link signIn} of whoever it is: where somebody else was here, in a page that knows nothing of them. */
  signInAs(token: string, path: string): void {
    if (this.#state.kind === 'SIGNED_OUT' || this.isOf(token)) {
      this.signIn(token);
    } else {
      keep(KEY, token);
      location.replace(path);
    }
  }

  /** Whether a token is of who is signed in here, as far as its own words go. */
  isOf(token: string): boolean {
    return this.#state.kind !== 'SIGNED_OUT' && isOfSamePerson(this.#state.token, token);
  }

  /** Ends in a page that knows nothing of who was here: neither what was read for them, nor what waits for a token. */
  signOut(): void {
    keep(KEY, null);
    leave();
  }

  /**
   * The token to send. With one that was refused: the next one, as soon as somebody has signed in again, so that no call
   * is lost meanwhile. Waits for ever where nobody does.
   */
  readonly token = ({ refused }: { refused: string | null }): string | Promise<string> => {
    const state = this.#state;
    if (state.kind === 'SIGNED_IN' && state.token !== refused) {
      return state.token;
    }
    if (refused !== null) {
      this.end(refused);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  };

  /** The server refused this token. */
  end(token: string): void {
    if (this.#state.kind === 'SIGNED_IN' && this.#state.token === token) {
      this.#set({ kind: 'ENDED', token });
    }
  }

  /** What another tab did. */
  #hear(token: string | null): void {
    const state = this.#state;
    if (state.kind === 'SIGNED_OUT' ? token === null : state.token === token) {
      return;
    }
    if (token !== null && (state.kind === 'SIGNED_OUT' || isOfSamePerson(state.token, token))) {
      this.#take(token);
    } else {
      leave();
    }
  }

  #take(token: string): void {
    this.#set(stateOf(token));
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) {
      resolve(token);
    }
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

/**
 * The first page, loaded anew: what was read, what is listened to and what waits to be sent again belongs to one person,
 * and ends with them.
 */
const leave = (): void => location.replace('/');

const stateOf = (token: string | null): SessionState =>
  token === null || token === '' ? { kind: 'SIGNED_OUT' } : { kind: 'SIGNED_IN', token };

export const session = new Session();
