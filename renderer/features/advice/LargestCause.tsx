import {useEffect, useState} from 'react';
import {unbroken} from '../../../app/base/text.ts';
import {removableCauses, removableText} from '../../../app/study/advice/removableCause.ts';
import {savedCauses} from '../../run/why/savedCauses.ts';
import {sideOf} from '../../run/why/whyTable.ts';
import {useSession} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf} from '../../session/sources.ts';

/**
 * The sentence about the largest cause of the run on screen that can be taken away. The page is loaded again without each
 * cause; until that is done, and if no cause saves time, nothing is shown.
 */
export function LargestCause({run}: {readonly run: ShownRun}) {
  const {host} = useSession();
  const [found, setFound] = useState<{readonly run: ShownRun; readonly text: string} | null>(null);
  useEffect(() => {
    let isOver = false;
    const sides = run.traces.map((_, pane) => sideOf(run, pane, 'finish', null, null));
    const search = savedCauses(host, run, sides);
    void search.saved.then(
      saved => {
        const loads = sides.map(({pane}) => ({side: pane, interventions: saved.filter(each => each.pane === pane)}));
        if (!isOver) setFound({run, text: removableText(removableCauses(loads), namesOf(run))});
      },
      () => undefined,
    );
    return () => {
      isOver = true;
      search.cancel();
    };
  }, [host, run]);
  const text = found?.run === run ? found.text : '';
  return text === '' ? null : <p>In the run on screen, {unbroken(text.replace(/^The/, 'the'))}</p>;
}
