import {useEffect, useState} from 'react';
import type {PathSettings} from '../../app/run/scenario/path.ts';
import {pathAt} from '../../app/run/scenario/scenario.ts';
import {useSession, useSessionState} from './context.tsx';
import {shownMs} from './gesture.ts';

/**
 * Returns the path at t if edits apply from t on, otherwise the path without its timed changes. While t moves, the
 * component renders again only at timed changes.
 */
export function usePathInForce(): PathSettings {
  const {player} = useSession();
  const scenario = useSessionState(state => state.scenario);
  const isFromNow = useSessionState(state => state.view.isFromNow);
  // While the user drags a slider, the newest timed change of this drag can begin a little later than the shown t. The
  // fields show the path with this change.
  const setFromMs = useSessionState(state => state.setFromMs) ?? 0;
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    if (!isFromNow) return;
    return player.onTime(tNs => {
      const atMs = Math.max(shownMs(tNs), setFromMs);
      setPassed(scenario.changes.filter(change => change.atMs <= atMs).length);
    });
  }, [player, scenario, isFromNow, setFromMs]);
  return isFromNow ? pathAt(scenario, (scenario.changes[passed - 1]?.atMs ?? -1) * 1e6) : scenario.path;
}
