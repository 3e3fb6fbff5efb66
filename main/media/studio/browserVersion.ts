import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {promisify} from 'node:util';

/** What tells one build of a browser from another: what decodes may differ. Without starting it. */
export async function browserVersion(executablePath: string): Promise<string> {
  try {
    const {stdout} = await promisify(execFile)(executablePath, ['--version'], {timeout: ANSWER_MS});
    if (/\d/.test(stdout)) return stdout.trim();
  } catch {
    // one that does not say
  }
  const {size, mtimeMs} = await stat(executablePath);
  return `${executablePath} ${size} ${mtimeMs}`;
}

const ANSWER_MS = 10_000;
