// This file starts a browser or Electron, which then ends together with the process that started it, even if that
// process is killed.
import {fork, spawn, spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';

/**
 * How a program ended. `error` is set if it could not be started. `said` is the last part of what a browser with a
 * profile wrote to standard error.
 *
 * @typedef {{code: number | null, signal: NodeJS.Signals | null, error?: string, said?: string}} Ending
 */

/**
 * Starts a program in its own process group, by means of another process, the keeper. The keeper ends the whole group
 * (a browser has many processes) when this process ends for any reason, or when `end` is called.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{profile?: string}} [options] `profile` is the profile folder of a browser. The output of this browser is not
 *   shown. Its temporary files are written to that folder as well, except on macOS. The folder is removed afterwards.
 * @returns {{ended: Promise<Ending>, end: () => void}} `ended` resolves when no process of the group is left
 */
export function keep(program, args, {profile = ''} = {}) {
  const options = {detached: true, windowsHide: true};
  const keeper = fork(fileURLToPath(import.meta.url), [profile, program, ...args], options);
  /** @type {Ending} */
  let ending = {code: null, signal: null};
  keeper.on('message', message => {
    ending = /** @type {Ending} */ (message);
  });
  keeper.on('error', error => {
    ending = {...ending, error: error.message};
  });
  return {
    ended: new Promise(resolve => {
      const done = () => resolve(ending);
      keeper.on('error', done);
      // The keeper's message may arrive after the event 'exit', but it arrives before the event 'disconnect'. The event
      // 'close' is not used, because it does not come if this side has disconnected.
      keeper.on('exit', () => (keeper.connected ? keeper.on('disconnect', done) : done()));
    }),
    end: () => {
      if (keeper.connected) keeper.disconnect();
    },
  };
}

/**
 * Calls `close` when a signal asks this process to end, and then ends the process. If the same signal arrives a second
 * time, it ends the process immediately.
 *
 * @param {() => Promise<unknown>} close
 */
export function endWith(close) {
  for (const signal of SIGNALS) {
    process.once(signal, async () => {
      await close();
      process.kill(process.pid, signal); // the listener was removed, so the signal ends this process
    });
  }
}

/** Runs the keeper. The keeper has its own process group, so Ctrl+C in the terminal reaches only its parent. */
function keepHere(/** @type {string[]} */ [profile = '', program = '', ...args]) {
  const child = spawn(program, args, {
    detached: true,
    stdio: profile === '' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'ignore', 'pipe'],
    // TMPDIR is not changed on macOS, where socket paths must be short and the temporary folder's path is already long
    env: profile === '' || process.platform === 'darwin' ? process.env : {...process.env, TMPDIR: profile},
  });
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    try {
      // a process that could not start may have pid 0, and -0 is our own group
      if (child.pid === undefined || child.pid === 0) return;
      if (process.platform === 'win32') endTree(child.pid, signal);
      else process.kill(-child.pid, signal);
    } catch {
      // no process is left
    }
  };
  const end = () => {
    kill('SIGTERM');
    setTimeout(kill, GRACE_MS, 'SIGKILL').unref();
  };
  process.on('disconnect', end);
  for (const signal of SIGNALS) process.on(signal, end);
  const finish = (/** @type {Ending} */ ending) => {
    kill('SIGKILL'); // ends the processes that the main process left behind
    if (profile !== '') rmSync(profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
    if (process.connected) process.send?.(ending, () => process.exit());
    else process.exit();
  };
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-MOST_SAID);
  });
  child.on('error', error => finish({code: null, signal: null, error: error.message}));
  child.on('exit', (code, signal) => {
    if (child.stderr === null) return finish({code, signal});
    kill('SIGKILL');
    const finishWithOutput = () => finish({code, signal, said});
    child.on('close', finishWithOutput);
    // a process that left the group may still hold the browser's standard error open
    setTimeout(finishWithOutput, SAID_MS);
  });
}

/**
 * Ends a process and all that it started. Windows has neither process groups nor signals.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function endTree(pid, signal) {
  const force = signal === 'SIGKILL' ? ['/F'] : [];
  spawnSync('taskkill', ['/pid', String(pid), '/T', ...force], {stdio: 'ignore', windowsHide: true});
}

/** How many characters of standard error are kept. */
const MOST_SAID = 4000;
/** Longest time to wait for the end of standard error. Reading the rest of it takes far less. */
const SAID_MS = 500;

/** Signals that ask a process to end. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/**
 * Time between SIGTERM and SIGKILL. A browser writes its profile on SIGTERM, but need not finish if the profile is
 * removed afterwards ({@link keep}).
 */
const GRACE_MS = 3000;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) keepHere(process.argv.slice(2));
