import {takeFilmstrip} from '../../../media/movie/stills.ts';
import {command} from '../../command.ts';
import {FILMSTRIP_OPTIONS, timesOf} from '../../options/look.ts';
import {SCENARIO_OPTIONS} from '../../options/scenario.ts';
import {TRACE} from '../../options/traceFiles.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {type PictureSettings, pictureSettings, savePicture} from './pictures.ts';

interface FilmstripSettings extends PictureSettings {
  readonly timesNs: readonly number[];
}

export const filmstrip = command({
  name: 'filmstrip',
  group: 'Make pictures and movies',
  summary: 'Save several moments of a load in one picture',
  usage: ['--at TIME,TIME,… --out FILE [options]'],
  options: {
    ...SCENARIO_OPTIONS,
    trace: TRACE,
    at: {
      type: 'string',
      value: '4s,7s,12s',
      help: 'The times that the picture shows, at most 20. Each time is a row of the picture.',
    },
    out: {type: 'string', short: 'o', value: 'FILE', help: 'The file to write; it must end in .png.'},
    ...FILMSTRIP_OPTIONS,
    ...ACCESS_OPTIONS,
  },
  details: 'The picture shows the load as papers print it: a row for each time, and a column for each pane.',
  examples: [
    {
      does: 'Show three moments of the demo, as in figure 15 of N07',
      line: 'interleave filmstrip --scenario n07-movie --at 6s,7s,12s --out figure-15.png',
    },
  ],
  read({values}): FilmstripSettings {
    const timesNs = timesOf(values.at);
    return {...pictureSettings(values, ['.png']), timesNs};
  },
  run: (settings, context) =>
    savePicture(settings, context, (studio, options) => takeFilmstrip(studio, options, settings.timesNs)),
});
