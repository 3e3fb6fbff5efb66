import {useMemo} from 'react';
import type {Eye} from '../../../app/run/quality/states.ts';
import {captionLine, captionsOf} from '../../../app/telling/movie/captions.ts';
import type {ShownRun} from '../../session/loads.ts';
import {changesOf} from '../../session/sources.ts';

/**
 * Returns functions that map t (ns) to the caption at t: `changes` for the changes of the path, and `panes` for each
 * pane. A caption about an event stays as long as a viewer needs to read it at `speed` (run time per second of
 * playback). A caption about a state stays until the state ends.
 */
export function useCaptionLines(run: ShownRun, eye: Eye | null, speed: number) {
  return useMemo(() => {
    const lingerNs = LINGER_NS * speed;
    return {
      changes: captionLine(changesOf(run), lingerNs),
      panes: run.traces.map(trace => asked(() => captionLine(captionsOf(trace, eye), lingerNs))),
    };
  }, [run, eye, speed]);
}

/** Returns the line that `make` returns. `make` is called only when a text of the line is first needed. */
function asked(make: () => (tNs: number) => string): (tNs: number) => string {
  let line: ((tNs: number) => string) | undefined;
  return tNs => {
    line ??= make();
    return line(tNs);
  };
}

/** The time that a viewer needs to read a line, ns of playback. */
const LINGER_NS = 2e9;
