import {join} from 'node:path';
import {showName} from '../../app/scenario/show.ts';
import {nearest} from '../../app/scenario/spelling.ts';
import {STORY_NAMES} from '../../app/story/names.ts';
import {readStory, type Story} from '../../app/story/story.ts';
import {InputError, readInput} from '../files/inputFile.ts';
import {UsageError} from './usageError.ts';

/** The story of a file, or one that comes with the program, from `folder`. @throws UsageError naming what is wrong. */
export function chosenStory(name: string, folder: string): Story {
  const isOurs = STORY_NAMES.some(each => each === name);
  const read = readStory(bytesOf(name, isOurs ? join(folder, `${name}.story.json`) : name));
  if (read.ok) return read.story;
  const [first, ...others] = read.problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new UsageError(`${showName(name, 200)}: ${first.message}${more}`);
}

function bytesOf(name: string, path: string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    if (error instanceof InputError) throw new UsageError(error.message);
    const {code} = error as NodeJS.ErrnoException;
    const why = code === undefined || code === 'ENOENT' ? '' : ` (${code})`;
    const near = nearest(name, STORY_NAMES);
    const hint =
      near === undefined ? `those that come with it: ${STORY_NAMES.join(', ')}` : `did you mean ${near}?`;
    throw new UsageError(`--story ${showName(name, 200)}: no file that can be read${why}; ${hint}`);
  }
}
