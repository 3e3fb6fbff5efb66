import {useEffect, useState} from 'react';
import {messageOf} from '../../../app/base/text.ts';
import {useSession} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {type SavedCause, savedCauses} from './savedCauses.ts';
import type {Side} from './whyTable.ts';

/**
 * Returns the time that each intervention on the panes of `sides` saves, or the error's message if a load fails.
 * Returns null until all loads are over, and if `sides` is null.
 */
export function useSavedCauses(
  run: ShownRun,
  sides: readonly Side[] | null,
): readonly SavedCause[] | {readonly problem: string} | null {
  const {host} = useSession();
  const [found, setFound] = useState<{of: typeof sides; result: ReturnType<typeof useSavedCauses>} | null>(null);
  useEffect(() => {
    if (sides === null) return;
    let isOver = false;
    const search = savedCauses(host, run, sides);
    search.saved.then(
      result => isOver || setFound({of: sides, result}),
      error => isOver || setFound({of: sides, result: {problem: messageOf(error)}}),
    );
    return () => {
      isOver = true;
      search.cancel();
    };
  }, [host, run, sides]);
  // a result for other sides, for example for those of an earlier run, is not shown
  return found?.of === sides ? found.result : null;
}
