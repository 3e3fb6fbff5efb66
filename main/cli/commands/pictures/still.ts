import {extname} from 'node:path';
import {takeStill, takeTimeline} from '../../../media/movie/stills.ts';
import {command} from '../../command.ts';
import {STILL_OPTIONS, timesOf} from '../../options/look.ts';
import {SCENARIO_OPTIONS} from '../../options/scenario.ts';
import {TRACE} from '../../options/traceFiles.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {type PictureSettings, pictureSettings, savePicture} from './pictures.ts';

interface StillSettings extends PictureSettings {
  readonly timeNs: number;
}

export const still = command({
  name: 'still',
  group: 'Make pictures and movies',
  summary: 'Save a picture of one moment of a load',
  usage: ['--at TIME --out FILE [options]'],
  options: {
    ...SCENARIO_OPTIONS,
    trace: TRACE,
    at: {type: 'string', value: '7s', help: 'The time of the picture: 7s and 7 are seconds, 700ms is milliseconds.'},
    out: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      help: 'The file to write: .png shows the whole window, .svg only the timeline with its cursor.',
    },
    ...STILL_OPTIONS,
    ...ACCESS_OPTIONS,
  },
  details: '',
  examples: [
    {
      does: 'Save the demo at 7 s, large enough for print',
      line: 'interleave still --scenario n07-movie --at 7s --scale 2 --out figure.png',
    },
  ],
  read({values}): StillSettings {
    const [timeNs = 0, ...others] = timesOf(values.at);
    if (others.length > 0)
      throw new UsageError('--at is a list: a still shows one time; use interleave filmstrip for several');
    const settings = pictureSettings(values, ['.png', '.svg']);
    if (values.scale !== undefined && isSvg(settings.out))
      throw new UsageError(`--scale is ${values.scale}: an SVG has no scale, because it has no pixels`);
    return {...settings, timeNs};
  },
  run(settings, context) {
    const take = isSvg(settings.out) ? takeTimeline : takeStill;
    return savePicture(settings, context, (studio, options) => take(studio, options, settings.timeNs));
  },
});

function isSvg(out: string): boolean {
  return extname(out).toLowerCase() === '.svg';
}
