import {useEffect, useRef} from 'react';
import {picturesOf} from '../../../app/run/quality/pageQuality.ts';
import {type Eye, type PictureState, pictureStateAt} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectName, secondsText} from '../../../app/run/trace/traceTexts.ts';
import {sightText} from '../../../app/telling/narration/runSentences.ts';
import type {Player} from '../../session/player.ts';

interface PicturesNowProps {
  readonly trace: Trace;
  readonly eye: Eye | null;
  readonly player: Player;
  /** The title of the pane. */
  readonly title: string;
}

/**
 * Tells a screen reader what the dots of a pane show. The text changes only when t has been at rest for a moment: a
 * text that changes at each frame could not be read.
 */
export function PicturesNow({trace, eye, player, title}: PicturesNowProps) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    let timer = 0;
    const end = player.onTime(tNs => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (text.current !== null) text.current.textContent = `${title}, ${picturesText(trace, eye, tNs)}`;
      }, REST_MS);
    });
    return () => {
      end();
      window.clearTimeout(timer);
    };
  }, [trace, eye, player, title]);
  return <p ref={text} className="for-readers" />;
}

/** Names the pictures in each state at t: `at 8.0 s: … Complete: lake.jpg. Not yet: lighthouse.jpg.` */
function picturesText(trace: Trace, eye: Eye | null, tNs: number): string {
  const seen = `at ${secondsText(tNs)}: ${sightText(trace, eye, tNs)}.`;
  if (eye === null) return seen;
  const named = picturesOf(trace, eye.quality).map(([object]) => ({
    name: objectName(trace, object),
    state: pictureStateAt(trace, eye.quality, eye.thresholds, object, tNs),
  }));
  const lists = STATES.map(([state, words]) => {
    const names = named.filter(each => each.state === state).map(({name}) => name);
    return names.length === 0 ? '' : ` ${words}: ${names.join(', ')}.`;
  });
  return seen + lists.join('');
}

const STATES: readonly (readonly [state: PictureState, words: string])[] = [
  ['complete', 'Complete'],
  ['good', 'Good'],
  ['recognisable', 'Recognisable'],
  ['none', 'Not yet'],
];

const REST_MS = 400;
