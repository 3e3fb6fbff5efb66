// A browser that ends with whoever started it, even where that one is killed and can do nothing any more.
import {fork, spawn} from 'node:child_process';
import {rmSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';

/**
 * How a program ended: `error` if it could not be started. `said` is the end of what a browser with a profile wrote to
 * standard error.
 *
 * @typedef {{code: number | null, signal: NodeJS.Signals | null, error?: string, said?: string}} Ending
 */

/**
 * Starts a program in a process group of its own, under a keeper that ends the whole group (a browser is many
 * processes) when this process ends, however that is, or when `end` is called.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{profile?: string}} [options] `profile` is the folder of a browser that says nothing and keeps nothing:
 *   what it writes for the time being goes there, too, and it is removed afterwards
 * @returns {{ended: Promise<Ending>, end: () => void}} `ended` when nothing of it is left
 */
export function keep(program, args, {profile = ''} = {}) {
  const keeper = fork(fileURLToPath(import.meta.url), [profile, program, ...args], {detached: true});
  /** @type {Ending} */
  let ending = {code: null, signal: null};
  keeper.on('message', told => {
    ending = /** @type {Ending} */ (told);
  });
  keeper.on('error', error => {
    ending = {...ending, error: error.message};
  });
  return {
    ended: new Promise(resolve => {
      const done = () => resolve(ending);
      keeper.on('error', done);
      // what it told may be read after its exit is seen; after a disconnect from here, 'close' does not come
      keeper.on('exit', () => (keeper.connected ? keeper.on('disconnect', done) : done()));
    }),
    end: () => {
      if (keeper.connected) keeper.disconnect();
    },
  };
}

/**
 * Has `close` done when this process is asked to end, which it does afterwards; asked again, it ends at once.
 *
 * @param {() => Promise<unknown>} close
 */
export function endWith(close) {
  for (const signal of SIGNALS) {
    process.once(signal, async () => {
      await close();
      process.kill(process.pid, signal); // as nobody listens to it any more, this ends it, and says of what
    });
  }
}

/** The keeper. It is in a group of its own, too, so that a Ctrl C in the terminal goes to its parent only. */
function keepHere(/** @type {string[]} */ [profile = '', program = '', ...args]) {
  const child = spawn(program, args, {
    detached: true,
    stdio: profile === '' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'ignore', 'pipe'],
    // not on macOS: paths of sockets are short there, and its folder is long already
    env: profile === '' || process.platform === 'darwin' ? process.env : {...process.env, TMPDIR: profile},
  });
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    try {
      // one that could not start may have pid 0, and -0 is our own group
      if (child.pid) process.kill(-child.pid, signal);
    } catch {
      // nobody is left
    }
  };
  const end = () => {
    kill('SIGTERM');
    setTimeout(kill, GRACE_MS, 'SIGKILL').unref();
  };
  process.on('disconnect', end);
  for (const signal of SIGNALS) process.on(signal, end);
  const finish = (/** @type {Ending} */ ending) => {
    kill('SIGKILL'); // what its main process left behind
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
    const told = () => finish({code, signal, said});
    child.on('close', told);
    // unless a process that left the group has its standard error open
    setTimeout(told, SAID_MS);
  });
}

/** Characters. */
const MOST_SAID = 4000;
/** What was written before the end is read in far less. */
const SAID_MS = 500;

/** What asks a process to end. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** Chromium writes its profile on SIGTERM; it is ours, and goes. */
const GRACE_MS = 3000;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) keepHere(process.argv.slice(2));
