import type {ReactNode} from 'react';
import type {Player} from '../player.ts';
import {TextAt} from './TextAt.tsx';
import './stage.css';

interface CaptionedPaneProps {
  readonly player: Player;
  /** What its line says at t (ns); no line without it. */
  readonly caption: ((tNs: number) => string) | undefined;
  readonly children: ReactNode;
}

/** A pane, and below it what happened last. */
export function CaptionedPane({player, caption, children}: CaptionedPaneProps) {
  return (
    <div className="captioned-pane">
      {children}
      {caption !== undefined && <TextAt player={player} text={caption} className="pane-caption" />}
    </div>
  );
}
