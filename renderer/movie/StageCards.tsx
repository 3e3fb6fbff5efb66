import {useEffect, useRef} from 'react';
import type {Eye} from '../../app/run/quality/states.ts';
import {usePlayerState, useSession} from '../session/context.tsx';
import type {ShownRun} from '../session/loads.ts';
import {EndCard, TitleCard} from './Cards.tsx';
import '../run/narration/stage.css';

interface StageCardsProps {
  readonly run: ShownRun;
  readonly eye: Eye | null;
}

/**
 * The cards of a movie, in presenter mode. The title covers panes and timeline while t = 0 and nothing plays. From the
 * run's end on, the results cover the panes.
 */
export function StageCards({run, eye}: StageCardsProps) {
  const {player} = useSession();
  const {isPlaying, endNs} = usePlayerState();
  const cards = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      player.onTime(tNs => {
        const card = tNs <= 0 && !isPlaying ? 'title' : tNs >= endNs ? 'results' : 'none';
        const dataset = cards.current?.dataset;
        if (dataset !== undefined && dataset['card'] !== card) dataset['card'] = card;
      }),
    [player, isPlaying, endNs],
  );
  return (
    <div className="stage-cards" ref={cards}>
      <TitleCard run={run} eye={eye} />
      <EndCard run={run} eye={eye} />
    </div>
  );
}
