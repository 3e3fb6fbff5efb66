import {createContext, type ReactNode, useContext, useMemo, useSyncExternalStore} from 'react';
import {useStore} from 'zustand';
import type {Eye} from '../../app/run/quality/states.ts';
import {type Editing, EditingContext} from '../kit/editing.ts';
import {type Folding, FoldingContext} from '../kit/Section.tsx';
import type {FeatureState} from './extension.ts';
import type {Hovered} from './hovered.ts';
import type {PlayerState} from './player.ts';
import type {Session} from './session.ts';
import type {SessionState} from './sessionState.ts';

const SessionContext = createContext<Session | null>(null);

interface SessionProviderProps {
  readonly session: Session;
  readonly children?: ReactNode;
}

/**
 * Gives its children a session. The fields of `renderer/kit` edit the session's scenario, and the session's view
 * remembers which sections are open.
 */
export function SessionProvider({session, children}: SessionProviderProps) {
  const editing = useMemo(() => editingOf(session), [session]);
  const folding = useMemo(() => foldingOf(session), [session]);
  return (
    <SessionContext value={session}>
      <EditingContext value={editing}>
        <FoldingContext value={folding}>{children}</FoldingContext>
      </EditingContext>
    </SessionContext>
  );
}

/** @throws Error outside of a SessionProvider. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this component is outside of a SessionProvider');
  return session;
}

/** The value that `select` returns. The component renders again when this value changes. */
export function useSessionState<T>(select: (state: SessionState) => T): T {
  return useStore(useSession().store, select);
}

/** The state that a feature keeps for the session. */
export function useStateOf<T>(feature: FeatureState<T>): T {
  return useSession().stateOf(feature);
}

/** The measured quality of the page on screen, with the chosen thresholds. Null until the page is measured. */
export function useEye(): Eye | null {
  const quality = useSessionState(state => state.quality);
  const thresholds = useSessionState(state => state.view.thresholds);
  return useMemo(() => (quality === null ? null : {quality, thresholds}), [quality, thresholds]);
}

/** The objects to highlight: those under the pointer, or if there are none, those of a story's step. */
export function useHighlighted(): Hovered {
  return useSessionState(({hovered, highlighted}) => (hovered.size > 0 ? hovered : highlighted));
}

/** Whether the scenario on screen can be computed with other seeds. Trace files and live loads cannot. */
export function useHasSeeds(): boolean {
  const {traces} = useSession();
  return useSessionState(({scenario}) => traces.panesOf(scenario) === undefined && scenario.path.live === undefined);
}

export function usePlayerState(): PlayerState {
  const {player} = useSession();
  return useSyncExternalStore(player.onState, () => player.state);
}

function editingOf(session: Session): Editing {
  const {history} = session;
  return {
    choose: (key, value) => history.choose(key, value),
    edit: (key, value) => history.edit(key, value),
    endEdit: () => history.endEdit(),
    useProblem: key =>
      useStore(session.store, ({refused}) => (refused !== null && refused.key === key ? refused.problem : null)),
  };
}

function foldingOf(session: Session): Folding {
  const open = () => session.store.getState().view.openSections;
  return {
    useIsOpen: name => useStore(session.store, ({view}) => view.openSections.includes(name)),
    setOpen: (name, isOpen) => {
      // `toggle` is also fired when React, not the user, has opened or closed the element
      if (open().includes(name) === isOpen) return;
      const others = open().filter(each => each !== name);
      session.display.set({openSections: isOpen ? [...others, name] : others});
    },
  };
}
