import {useStore} from 'zustand';
import {useSession, useSessionState} from '../../session/context.ts';
import type {Hovered} from '../../session/hovered.ts';
import type {TellerState} from './storyTeller.ts';

/** Renders again when what `select` gives has changed. */
export function useTeller<T>(select: (state: TellerState) => T): T {
  return useStore(useSession().story.store, select);
}

/** What is pointed at; otherwise what the story's step points at. */
export function useStandingOut(): Hovered {
  const hovered = useSessionState(state => state.hovered);
  const highlighted = useTeller(state => state.highlighted);
  return hovered.size > 0 ? hovered : highlighted;
}
