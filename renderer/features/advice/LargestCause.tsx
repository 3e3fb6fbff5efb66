import {useMemo} from 'react';
import {unbroken} from '../../../app/base/text.ts';
import {removableCauses, removableText} from '../../../app/study/advice/removableCause.ts';
import {useSavedCauses} from '../../run/why/useSavedCauses.ts';
import {sideOf} from '../../run/why/whyTable.ts';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf} from '../../session/sources.ts';

/**
 * Says which of the causes that can be taken away costs the run on screen the most time. For this, the page is loaded
 * again once for each of these causes, without this one cause. Nothing is shown until all these loads are done. Nothing
 * is shown either if one of the loads fails, or if none of them is faster than the run on screen.
 */
export function LargestCause({run}: {readonly run: ShownRun}) {
  const sides = useMemo(() => run.traces.map((_, pane) => sideOf(run, pane, 'finish', null, null)), [run]);
  const saved = useSavedCauses(run, sides);
  if (saved === null || 'problem' in saved) return null;
  const loads = sides.map(({pane}) => ({side: pane, interventions: saved.filter(each => each.pane === pane)}));
  const text = removableText(removableCauses(loads), namesOf(run));
  return text === '' ? null : <p>In the run on screen, {unbroken(text.replace(/^The/, 'the'))}</p>;
}
