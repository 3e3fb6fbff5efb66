// This file runs other programs. It uses plain Node only, because it must work before node_modules exists.
import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * Runs a program, from the repository's root unless `cwd` is given, and returns its exit code. A program that cannot be
 * started or is killed by a signal counts as exit code 1.
 *
 * The program's standard output goes to that of this process, unless `capture` or `toStderr` is set. Its standard error
 * always goes to that of this process.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{capture?: boolean, toStderr?: boolean, cwd?: string, env?: Record<string, string>}} [options] `capture`
 *   returns standard output and does not show it. `toStderr` writes it to standard error, for scripts whose own results
 *   are on standard output.
 * @returns {Promise<{code: number, output: string}>} `output` is empty unless `capture` is set
 */
export function run(program, args, {capture = false, toStderr = false, cwd = root, env = {}} = {}) {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      cwd,
      env: {...process.env, ...env},
      stdio: ['ignore', capture ? 'pipe' : toStderr ? 2 : 'inherit', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', text => {
      output += text;
    });
    child.on('error', error => {
      console.error(error.message);
      resolve({code: 1, output});
    });
    child.on('close', code => resolve({code: code ?? 1, output}));
  });
}

/**
 * Runs the command `name` of an npm package that is installed here.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {string} [packageName] if it differs from `name`
 */
export function runTool(name, args, packageName = name) {
  const folder = join(root, 'node_modules', packageName);
  const {bin} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return run(process.execPath, [join(folder, typeof bin === 'string' ? bin : bin[name]), ...args]);
}

/**
 * Runs a script's work. A plain `Error`, or an error of `parseArgs` about an option, reports a problem that the user
 * can solve. Only its message is printed. Every other error, such as another `TypeError`, is a bug, and keeps its stack
 * trace.
 *
 * @param {() => Promise<unknown>} work
 */
export async function inOneLine(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error) || !(error.name === 'Error' || isWrongOption(error))) throw error;
    console.error(`interleave: ${error.message}`);
    process.exitCode = 1;
  }
}

/** @param {NodeJS.ErrnoException} error */
function isWrongOption({code}) {
  return code?.startsWith('ERR_PARSE_ARGS_') === true;
}

/**
 * Reads an option whose value is a whole number from 1. @throws Error if `text` is no such number
 *
 * @param {string} option its name, such as `--loads`
 * @param {string} text
 */
export function wholeNumber(option, text) {
  const value = Number(text);
  if (!(value >= 1 && Number.isInteger(value))) {
    throw new Error(`invalid ${option}: ${text} (must be a whole number from 1)`);
  }
  return value;
}

/**
 * The command line that runs npm. Within `npm run`, npm says where its script is. Elsewhere the command is `npm`. That
 * does not work on Windows, where `npm` is a batch file, which Node refuses to run.
 * @type {readonly [string, ...string[]]}
 */
export const NPM = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];

/** The repository's root. */
export const root = join(import.meta.dirname, '../..');

/**
 * Whether this is an npm package, not a clone of the repository. A package is already bundled, and npm has installed
 * what it needs. A package never contains package-lock.json, because npm does not pack that file.
 */
export const isPackage = !existsSync(join(root, 'package-lock.json'));
