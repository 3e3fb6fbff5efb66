import {useMemo} from 'react';
import type {Eye} from '../../../app/run/quality/states.ts';
import {captionLine, captionsOf} from '../../../app/telling/movie/captions.ts';
import type {ShownRun} from '../../session/loads.ts';
import {changesOf} from '../../session/sources.ts';

/** The captions at t, each for as long as it takes to read at that speed (run time per second of playback). */
export function useCaptionLines(run: ShownRun, eye: Eye | null, speed: number) {
  return useMemo(() => {
    const lingerNs = LINGER_NS * speed;
    return {
      changes: captionLine(changesOf(run), lingerNs),
      panes: run.traces.map(trace => asked(() => captionLine(captionsOf(trace, eye), lingerNs))),
    };
  }, [run, eye, speed]);
}

/** Delays making a line until it is first shown. */
function asked(make: () => (tNs: number) => string): (tNs: number) => string {
  let line: ((tNs: number) => string) | undefined;
  return tNs => {
    line ??= make();
    return line(tNs);
  };
}

/** The time it takes to read a line, ns of playback. */
const LINGER_NS = 2e9;
