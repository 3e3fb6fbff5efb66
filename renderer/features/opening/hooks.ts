import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {OPENER, type OpenerState} from './pageOpener.ts';

/** Renders again when what `select` gives has changed. */
export function useOpener<T>(select: (state: OpenerState) => T): T {
  return useStore(useStateOf(OPENER).store, select);
}
