import {useMemo} from 'react';
import {oneLossSentence} from '../../app/cause/oneLoss.ts';
import {shortNames} from '../../app/pipelines/paneLabels.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {endSentence, leadSentence, lessonSentence} from '../../app/stage/sentence.ts';
import type {Player} from '../player.ts';
import type {ShownRun} from '../store/loads.ts';
import {TextAt} from './TextAt.tsx';
import './stage.css';

interface SentenceProps {
  readonly run: ShownRun;
  readonly player: Player;
  readonly eye: Eye | null;
  /** Not how it ends. */
  readonly isUpToT: boolean;
}

/** Who is ahead at t, what is to be learned, and what it comes to. */
export function Sentence({run, player, eye, isUpToT}: SentenceProps) {
  const {lead, lesson, oneLoss, end} = useMemo(() => {
    const names = shortNames(run.scenario.panes);
    const compared = {traces: run.traces, names};
    return {
      lead: (tNs: number) => leadSentence(compared, eye, tNs),
      lesson: lessonSentence(compared, run.scenario.panes),
      oneLoss: oneLossSentence(run.traces, names),
      end: endSentence(compared, eye),
    };
  }, [run, eye]);
  return (
    <footer className="sentence" data-panes={run.traces.length}>
      <TextAt player={player} text={lead} className="sentence-lead" />
      {lesson !== '' && <span>{lesson}</span>}
      {!isUpToT && oneLoss !== '' && <span>{oneLoss}</span>}
      {!isUpToT && <span>{end}</span>}
    </footer>
  );
}
