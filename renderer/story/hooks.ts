import {useStore} from 'zustand';
import type {Hovered} from '../hovered.ts';
import {useSession, useSessionState} from '../store/context.ts';
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
