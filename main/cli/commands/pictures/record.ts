import {join} from 'node:path';
import {STORY_NAMES} from '../../../../app/telling/story/story.ts';
import type {Trust} from '../../../pages/base/trust.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {GATEWAY} from '../../bundled.ts';
import {type CommandContext, command} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {storyWithPages} from '../../options/chosenPage.ts';
import {MOVIE_OPTIONS, movieOf} from '../../options/look.ts';
import {fileOf, formatOf} from '../../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {TRACE, tracesOf} from '../../options/traceFiles.ts';
import {ACCESS_OPTIONS, trustOf} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {chosenSubject, type MovieSettings, recordLoad, recordStoryMovie} from './pictures.ts';
import {chosenStory} from './storyFile.ts';

interface RecordedLoad extends MovieSettings, ScenarioChoice {
  readonly story?: undefined;
  readonly traces: readonly string[];
}

interface RecordedStory extends MovieSettings {
  /** The path of a story file, or the name of a built-in story. */
  readonly story: string;
  readonly isPrivateAllowed: boolean;
  readonly trust: Trust | undefined;
}

export const record = command({
  name: 'record',
  group: 'Make pictures and movies',
  summary: 'Record a movie of a load: pages, timeline and captions',
  usage: ['--out FILE [options]'],
  options: {
    ...SCENARIO_OPTIONS,
    trace: TRACE,
    story: {
      type: 'string',
      value: 'FILE|NAME',
      help:
        'Records all steps of a story, each with its text and with time to read the text. The value is a file ' +
        `(.story.json), or the name of a built-in story: ${STORY_NAMES.join(', ')}. The options --trace, --scenario, ` +
        '--page, --set, --title, --timeline, --axis, --reveal, --waiting, --loss, --speed, --from and --to cannot be ' +
        'given, because the story decides this.',
    },
    out: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      help:
        'The file to write: .mp4 (H.264), .webm (VP9), .gif or .webp. If this browser cannot encode H.264, WebM is ' +
        'made.',
    },
    ...MOVIE_OPTIONS,
    json: {
      type: 'boolean',
      help: 'Prints JSON with the number of frames, the span and the SHA-256 of all frames, for scripts.',
    },
    ...ACCESS_OPTIONS,
  },
  details: `
Chromium paints every frame, and a frame is recorded only when it is complete. The same scenario therefore gives the
same frames on a fast machine and on a slow one. Frame k shows the time t = from + k · speed / fps. The movie lasts
(to − from) / speed.

Without --from and --to, the movie shows the title for 3 s, then the whole load, then the results. Chromium or Chrome
must be installed.
`,
  examples: [
    {does: 'Record the default demo', line: 'interleave record --scenario n07-movie --out demo.mp4'},
    {
      does: 'Show six seconds of it in slow motion',
      line: 'interleave record --scenario n07-movie --from 6s --to 12s --speed 0.5 --theme dark --out slow.webm',
    },
    {
      does: 'Show a live load beside a computed one',
      line: 'interleave record --trace live.trace --trace computed.trace --out both.mp4',
    },
    {does: 'Record a story', line: `interleave record --story ${STORY_NAMES[0]} --out lecture.mp4`},
  ],
  read({values}): RecordedLoad | RecordedStory {
    const out = fileOf(values);
    const format = formatOf(values);
    const traces = tracesOf(values);
    if (values.story === undefined)
      return {...scenarioChoice(values), traces, out, movie: movieOf(values, out), format};
    const own = STEPS_OWN.find(option => values[option] !== undefined);
    if (own !== undefined) throw new UsageError(`--story and --${own} exclude each other: the story decides this`);
    const isPrivateAllowed = values['allow-private'] ?? false;
    const trust = trustOf(values);
    return {story: values.story, isPrivateAllowed, trust, out, movie: movieOf(values, out), format};
  },
  run: (settings, context) =>
    untilInterrupted(async signal => {
      const isLoad = settings.story === undefined;
      const printed = isLoad ? recordOne(settings, context, signal) : recordSteps(settings, context, signal);
      await context.write(await printed);
      return 0;
    }),
});

async function recordOne(settings: RecordedLoad, context: CommandContext, signal: AbortSignal): Promise<string> {
  const subject = await chosenSubject(settings, context, signal);
  return recordLoad(settings, subject, context.root, signal);
}

async function recordSteps(settings: RecordedStory, context: CommandContext, signal: AbortSignal): Promise<string> {
  const {root, fixtures} = context;
  const chosen = chosenStory(settings.story, join(root, 'fixtures/stories'));
  const story = await storyWithPages(chosen, settings, {fixtures, module: GATEWAY, signal});
  for (const {scenario} of story.steps) await openPageFor(scenario, fixtures);
  await context.buildRenderer();
  return recordStoryMovie(settings, story, root, signal);
}

/** The options that cannot be combined with `--story`, because the story or its steps decide them. */
const STEPS_OWN = [
  'scenario',
  'page',
  'set',
  'title',
  'timeline',
  'axis',
  'reveal',
  'waiting',
  'loss',
  'speed',
  'from',
  'to',
] as const;
