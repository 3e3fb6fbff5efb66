import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {promisify} from 'node:util';

/** Identifies a build of a browser, without opening the browser. Builds may decode pictures differently. */
export async function browserVersion(executablePath: string): Promise<string> {
  try {
    const {stdout} = await promisify(execFile)(executablePath, ['--version'], {timeout: ANSWER_MS});
    if (/\d/.test(stdout)) return stdout.trim();
  } catch {
    // this browser does not print its version
  }
  const {size, mtimeMs} = await stat(executablePath);
  return `${executablePath} ${size} ${mtimeMs}`;
}

const ANSWER_MS = 10_000;
