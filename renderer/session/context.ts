import {createContext, useContext, useMemo, useSyncExternalStore} from 'react';
import {useStore} from 'zustand';
import type {Eye} from '../../app/run/quality/states.ts';
import type {PlayerState} from './player.ts';
import type {Session} from './session.ts';
import type {SessionState} from './state.ts';

export const SessionContext = createContext<Session | null>(null);

/** @throws Error outside of a SessionContext. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('no session around this component');
  return session;
}

/** Renders again when what `select` gives has changed. */
export function useSessionState<T>(select: (state: SessionState) => T): T {
  return useStore(useSession().store, select);
}

/** What is to be seen of the page on show; null until it is measured. */
export function useEye(): Eye | null {
  const quality = useSessionState(state => state.quality);
  const thresholds = useSessionState(state => state.view.thresholds);
  return useMemo(() => (quality === null ? null : {quality, thresholds}), [quality, thresholds]);
}

export function usePlayerState(): PlayerState {
  const {player} = useSession();
  return useSyncExternalStore(player.onState, () => player.state);
}
