import {useStore} from 'zustand';
import {useSession} from '../../session/context.ts';
import type {OpenerState} from './pageOpener.ts';

/** Renders again when what `select` gives has changed. */
export function useOpener<T>(select: (state: OpenerState) => T): T {
  return useStore(useSession().opener.store, select);
}
