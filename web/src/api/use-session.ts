import { useSyncExternalStore } from 'react';
import { type SessionState, session } from './session.js';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);
