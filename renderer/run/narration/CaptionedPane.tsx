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
  /** Whether the losses of the load are not known (`hasUnknownLosses` in session/sources.ts). */
  readonly areLossesUnknown: boolean;
  /** Whether there are lines below the pane that say how much can be seen and how much was lost. */
  readonly hasStatusLines: boolean;
  /** Whether there are at most two panes. Only then the lines have room for long texts. */
  readonly isWide: boolean;
  /** The caption at t (ns); undefined if the pane has no line for captions. */
  readonly caption: ((tNs: number) => string) | undefined;
  readonly children: ReactNode;
}

/** A pane, with lines below it that say how far its load is and what happened last. */
export function CaptionedPane({
  player,
  trace,
  eye,
  areLossesUnknown,
  hasStatusLines,
  isWide,
  caption,
  children,
}: CaptionedPaneProps) {
  const [sight, loss] = useMemo(
    () => [
      (tNs: number) => (isWide ? sightText : shortSightText)(trace, eye, tNs),
      (tNs: number) => (areLossesUnknown ? 'losses are not known' : lossText(trace, tNs)),
    ],
    [trace, eye, areLossesUnknown, isWide],
  );
  return (
    <div className="captioned-pane">
      {children}
      {hasStatusLines && <TextAt player={player} text={sight} className="pane-told" />}
      {hasStatusLines && <TextAt player={player} text={loss} className="pane-told" />}
      {caption !== undefined && <TextAt player={player} text={caption} className="pane-caption" />}
    </div>
  );
}
