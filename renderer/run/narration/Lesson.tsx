import {useMemo} from 'react';
import {lessonLine} from '../../../app/telling/narration/lessonLine.ts';
import {useEye, usePlayerState, useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf, unalikeOf} from '../../session/sources.ts';
import {TextAt} from './TextAt.tsx';
import './lesson.css';

/** The sentence above the panes, which says what there is to see at t. A story's text replaces it. */
export function Lesson({run}: {readonly run: ShownRun}) {
  const {player} = useSession();
  const {speed} = usePlayerState();
  const eye = useEye();
  const isStoryShown = useSessionState(state => state.story !== null);
  const line = useMemo(() => {
    const {traces, scenario} = run;
    const isAlike = scenario.path.live === undefined && unalikeOf(run).notes.length === 0;
    return lessonLine({traces, names: namesOf(run), panes: scenario.panes, isAlike, eye}, LINGER_NS * speed);
  }, [run, eye, speed]);
  // panes with different pages are not compared
  if (isStoryShown || unalikeOf(run).page) return null;
  return (
    // a landmark of its own, because it is above the main part
    <section
      className="lesson"
      aria-label="what there is to see"
      data-panes={run.traces.length}
      data-longest={line.longest}
    >
      <TextAt player={player} text={line.at} />
    </section>
  );
}

/** The time that a viewer needs to read the sentence, ns of playback. */
const LINGER_NS = 2e9;
