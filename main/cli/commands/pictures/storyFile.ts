import {dirname, join} from 'node:path';
import {nearest, showName} from '../../../../app/base/text.ts';
import {readBytes} from '../../../../app/run/scenario/readScenario.ts';
import {parseStory, STORY_NAMES, type Story} from '../../../../app/telling/story/story.ts';
import {bytesOf} from '../../options/namedFile.ts';
import {withTraces} from '../../options/scenario.ts';
import {UsageError} from '../../options/usageError.ts';

/**
 * Reads a story from a file, or a built-in story.
 * @param name the path of the file, or the name of the built-in story
 * @param folder the path of the folder with the built-in stories
 * @throws UsageError naming what is wrong
 */
export function chosenStory(name: string, folder: string): Story {
  const isOurs = STORY_NAMES.some(each => each === name);
  const path = isOurs ? join(folder, `${name}.story.json`) : name;
  const json = readBytes(bytesOf(path, why => problemOf(name, why)));
  if (!json.ok) throw new UsageError(`${showName(name, 200)}: it contains no story: ${json.message}`);
  const read = parseStory(withTraces(json.value, dirname(path)));
  if (read.ok) return read.story;
  const [first, ...others] = read.problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new UsageError(`${showName(name, 200)}: ${first.message}${more}`);
}

/**
 * Returns a message that says why the story cannot be read. It also names the built-in story that the user may have
 * meant, or all of them if no name is similar.
 */
function problemOf(name: string, why: string): string {
  const near = nearest(name, STORY_NAMES);
  const hint = near === undefined ? `the built-in stories are ${STORY_NAMES.join(', ')}` : `did you mean ${near}?`;
  return `--story ${showName(name, 200)}: no file that can be read${why}; ${hint}`;
}
