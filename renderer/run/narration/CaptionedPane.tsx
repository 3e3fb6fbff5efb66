import {type ReactNode, useMemo} from 'react';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {lossText, shortSightText, sightText} from '../../../app/telling/narration/runSentences.ts';
import type {Player} from '../../session/player.ts';
import {TextAt} from './TextAt.tsx';
import './stage.css';

interface CaptionedPaneProps {
  readonly player: Player;
  readonly trace: Trace;
  readonly eye: Eye | null;
  /** What was lost is not known. */
  readonly isLive: boolean;
  /** Whether lines below it say what it shows, and what it has lost. */
  readonly isTold: boolean;
  /** Whether it is one of two at most, and its lines have room. */
  readonly isWide: boolean;
  /** What its line says at t (ns); no line without it. */
  readonly caption: ((tNs: number) => string) | undefined;
  readonly children: ReactNode;
}

/** A pane, and below it how far it is and what happened last. */
export function CaptionedPane({player, trace, eye, isLive, isTold, isWide, caption, children}: CaptionedPaneProps) {
  const [sight, loss] = useMemo(
    () => [
      (tNs: number) => (isWide ? sightText : shortSightText)(trace, eye, tNs),
      (tNs: number) => (isLive ? 'live: what was lost is not known' : lossText(trace, tNs)),
    ],
    [trace, eye, isLive, isWide],
  );
  return (
    <div className="captioned-pane">
      {children}
      {isTold && <TextAt player={player} text={sight} className="pane-told" />}
      {isTold && <TextAt player={player} text={loss} className="pane-told" />}
      {caption !== undefined && <TextAt player={player} text={caption} className="pane-caption" />}
    </div>
  );
}
