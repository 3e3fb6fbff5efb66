import {useEffect, useRef} from 'react';
import {setText} from '../../kit/setText.ts';
import type {Player} from '../../session/player.ts';

interface TextAtProps {
  readonly player: Player;
  /** The text at t (ns). */
  readonly text: (tNs: number) => string;
  readonly className?: string | undefined;
}

/** A text that depends on t. It is updated directly, because rendering with React for each t would be slow. */
export function TextAt({player, text, className}: TextAtProps) {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      // setText() skips an equal text: setting it again would change the document, and a recording would examine that
      player.onTime(tNs => setText(line.current, text(tNs))),
    [player, text],
  );
  return <span className={className} ref={line} />;
}
