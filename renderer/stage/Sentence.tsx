import {useMemo} from 'react';
import type {Eye} from '../../app/quality/eye.ts';
import {endSentence, holdSentence, nowSentence} from '../../app/stage/sentence.ts';
import {shortNames} from '../panes/paneLabels.ts';
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

/** What there is to see at t, and what it comes to. */
export function Sentence({run, player, eye, isUpToT}: SentenceProps) {
  const texts = useMemo(() => {
    const compared = {traces: run.traces, names: shortNames(run.scenario.panes)};
    const end = endSentence(compared, eye);
    return {
      now: (tNs: number) => nowSentence(compared, eye, tNs),
      hold: (tNs: number) => holdSentence(compared, tNs),
      end: () => end,
    };
  }, [run, eye]);
  return (
    <footer className="sentence" data-panes={run.traces.length}>
      <TextAt player={player} text={texts.now} className="sentence-now" />
      {/* of many panes the lines have no room for all that could be said */}
      {run.traces.length < 3 && <TextAt player={player} text={texts.hold} />}
      {!isUpToT && <TextAt player={player} text={texts.end} />}
    </footer>
  );
}
