import {useMemo} from 'react';
import {oneLossSentence} from '../../../app/run/cause/effect.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {isComputedPath} from '../../../app/run/scenario/capturedPath.ts';
import {hasOwnDrops} from '../../../app/run/scenario/paneDrops.ts';
import {
  endSentence,
  endSentences,
  holdsSentence,
  leadSentence,
  lessonSentence,
} from '../../../app/telling/narration/runSentences.ts';
import {whyLine} from '../../../app/telling/narration/whyLine.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {allWhyOf, namesOf, unalikeOf} from '../../session/sources.ts';
import {TextAt} from './TextAt.tsx';
import './stage.css';

interface SentenceProps {
  readonly run: ShownRun;
  readonly player: Player;
  readonly eye: Eye | null;
  /** Whether the sentence reveals nothing after t, so that it does not say how the comparison ends. */
  readonly isUpToT: boolean;
  /**
   * Whether the sentence of `Lesson` is shown above the panes. It says who is ahead and what can be learned, so this
   * component says neither.
   */
  readonly isBelowLesson?: boolean;
}

/** Says which pane is ahead at t, what can be learned from the comparison, and how the comparison ends. */
export function Sentence({run, player, eye, isUpToT, isBelowLesson = false}: SentenceProps) {
  const {lead, lesson, oneLoss, holds, ends, why} = useMemo(() => {
    const names = namesOf(run);
    // sentences about losses need panes with the same path and known losses
    const isLive = !isComputedPath(run.scenario.path);
    const isAlike = !isLive && unalikeOf(run).notes.length === 0;
    const compared = {traces: run.traces, names};
    const oneLoss = isAlike && !hasOwnDrops(run.scenario) ? oneLossSentence(run.traces, names) : '';
    return {
      lead: (tNs: number) => leadSentence(compared, eye, tNs),
      lesson: isAlike ? lessonSentence(compared, run.scenario.panes) : '',
      oneLoss,
      // left out if there is a sentence about one loss, which says the same in fewer words
      holds: isAlike && oneLoss === '' ? holdsSentence(compared) : '',
      // with more panes, the pages need the room
      why: run.traces.length > MOST_EXPLAINED ? '' : whyLine({...compared, why: allWhyOf(run)}),
      ends: run.traces.length > 2 ? endSentences(compared, eye) : [endSentence(compared, eye)],
    };
  }, [run, eye]);
  // panes with different pages are not compared
  if (unalikeOf(run).page) return null;
  return (
    <footer className="sentence" data-panes={run.traces.length}>
      {!isBelowLesson && <TextAt player={player} text={lead} className="sentence-lead" />}
      {!isBelowLesson && lesson !== '' && <span>{lesson}</span>}
      {!isUpToT && oneLoss !== '' && <span>{oneLoss}</span>}
      {!isUpToT && holds !== '' && <span>{holds}</span>}
      {!isUpToT && ends.map(end => <span key={end}>{end}</span>)}
      {!isUpToT && why !== '' && <span className="sentence-why">{why}</span>}
    </footer>
  );
}

/** If a run has more panes than this, the causes of the difference are only on the card of results. */
const MOST_EXPLAINED = 4;
