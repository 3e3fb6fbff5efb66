import {readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import type {Json} from '../../app/scenario/document.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import {openChromiumStudio} from '../movie/chromiumStudio.ts';
import {OutputFile} from '../movie/outputFile.ts';
import {type Recorded, record, usualStages} from '../movie/record.ts';
import {type StillOptions, takeFilmstrip, takeStill, takeTimeline} from '../movie/stills.ts';
import type {Studio} from '../movie/studio.ts';
import {openWebShell} from '../shells/web.ts';
import type {Command} from './command.ts';
import {startProgress} from './progress.ts';
import {readScenario} from './scenarioFile.ts';

type PictureCommand = Extract<Command, {name: 'record' | 'still' | 'filmstrip'}>;

/** `record`, `still` and `filmstrip`. `root` has the built renderer. @throws UsageError, MovieError */
export async function takePictures(command: PictureCommand, root: string): Promise<string> {
  const scenario = scenarioDocument(readScenario(command));
  return inStudio(root, studio => {
    if (command.name === 'record') return recordMovie(command, scenario, studio);
    return saveStill(command, {scenario, look: command.look, scale: command.scale}, studio);
  });
}

async function recordMovie(
  {movie, out, format}: Extract<Command, {name: 'record'}>,
  scenario: Json,
  studio: Studio,
): Promise<string> {
  const cancel = new AbortController();
  const onInterrupt = () => cancel.abort();
  for (const signal of SIGNALS) process.once(signal, onInterrupt);
  const progress = startProgress(process.stderr, 'frames');
  try {
    const {signal} = cancel;
    const stages = usualStages();
    const onProgress = (done: number, frames: number) => progress.show(done, frames);
    const recorded = await record({studio, scenario, movie, out, stages, onProgress, signal});
    progress.end();
    return format === 'json' ? `${JSON.stringify(recorded, null, 1)}\n` : recordedText(recorded, movie);
  } finally {
    progress.end();
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
  }
}

function recordedText({path, span, framesSha256}: Recorded, {fps}: {readonly fps: number}): string {
  const [from, to] = [span.fromNs / 1e9, span.toNs / 1e9];
  return `${path}: ${span.frames} frames, ${(span.frames / fps).toFixed(1)} s, t from ${from.toFixed(2)} to ${to.toFixed(2)} s; frames' SHA-256 ${framesSha256.slice(0, 16)}…\n`;
}

async function saveStill(
  command: Extract<Command, {name: 'still' | 'filmstrip'}>,
  options: StillOptions,
  studio: Studio,
): Promise<string> {
  const file = await OutputFile.create(command.out);
  try {
    await file.write(await pixelsOf(command, options, studio), 0);
    await file.keep();
  } finally {
    await file.discard();
  }
  return `${command.out}\n`;
}

function pixelsOf(
  command: Extract<Command, {name: 'still' | 'filmstrip'}>,
  options: StillOptions,
  studio: Studio,
): Promise<Uint8Array> {
  if (command.name === 'filmstrip') return takeFilmstrip(studio, options, command.timesNs);
  const take = extname(command.out).toLowerCase() === '.svg' ? takeTimeline : takeStill;
  return take(studio, options, command.timeNs);
}

async function inStudio<T>(root: string, use: (studio: Studio) => Promise<T>): Promise<T> {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const shell = await openWebShell({root, version, opened: null});
  try {
    const studio = await openChromiumStudio(shell.url);
    try {
      return await use(studio);
    } finally {
      await studio.close();
    }
  } finally {
    await shell.close();
  }
}

/** What ends a program that is not asked first. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
