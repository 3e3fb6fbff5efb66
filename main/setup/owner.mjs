// This file names the process that owns an incomplete file or a temporary folder. If the owner was killed, another
// process can find that out, and remove the file or folder.
import {createHash} from 'node:crypto';
import {lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';

/**
 * Returns the name of a process for use in file names: `HOST-PID-START`. The name contains the host, because several
 * machines or containers can share a disk. It contains the start time, if the system provides it, because process ids
 * are reused.
 */
export function ownerName(pid = process.pid) {
  return `${HOST}-${pid}-${startOf(pid) ?? ''}`;
}

/** The source of a regular expression that matches each {@link ownerName}. */
export const OWNER_NAME = '[0-9a-f]{8}-\\d+-\\d*';

/**
 * Whether the process of that name has ended. Returns false for a process of another machine, because nothing is known
 * about that process.
 *
 * @param {string} name
 */
export function hasEnded(name) {
  const [host, pid] = name.split('-');
  return host === HOST && !(isAlive(Number(pid)) && name === ownerName(Number(pid)));
}

/** @param {number} pid */
export function isAlive(pid) {
  // 0 is not a process but the sender's own group
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'; // the process belongs to another user
  }
}

/**
 * Returns the time at which a process was started, in ticks since the machine was started: proc_pid_stat(5), field 22.
 * Returns undefined if there is no /proc.
 *
 * @param {number} pid
 */
export function startOf(pid) {
  try {
    // the program's name, in brackets, can contain any character
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

/**
 * Makes a temporary folder. A file in the folder names the owner, because the folder's own name must stay short: the
 * length of a socket's path is limited (unix(7)). The first call for a `place` in a process also removes the folders
 * that killed processes left there.
 */
export function makeTemporaryFolder(place = PLACE) {
  if (!swept.has(place)) sweep(place);
  swept.add(place);
  const folder = mkdtempSync(join(place, 'interleave-'));
  writeFileSync(join(folder, OWNER_FILE), ownerName());
  return folder;
}

/**
 * The system's temporary folder. It is read once, because chromiumStudio.ts changes TMPDIR for a moment while
 * Playwright starts.
 */
const PLACE = tmpdir();
/** @type {Set<string>} */
const swept = new Set();
const OWNER_FILE = 'owner';

/**
 * Removes temporary folders whose owner has ended. Only folders that no other user can write to are removed, because
 * another user could write any owner's name into such a folder.
 */
function sweep(/** @type {string} */ place) {
  const user = process.getuid?.();
  for (const name of namesIn(place).filter(each => /^interleave-\w{6}$/.test(each))) {
    const folder = join(place, name);
    try {
      const {uid, mode} = lstatSync(folder);
      const isOurs = user === undefined || (uid === user && (mode & 0o77) === 0);
      if (isOurs && hasEnded(readFileSync(join(folder, OWNER_FILE), 'utf8')))
        rmSync(folder, {recursive: true, force: true});
    } catch {
      // it belongs to another user, or another process is removing it
    }
  }
}

/** Lists the names in a folder. Returns no names if the folder cannot be read. @returns {string[]} */
function namesIn(/** @type {string} */ place) {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

/** Identifies the machine and, on Linux, the container. */
const HOST = createHash('sha256').update(`${hostname()}\0${processNamespace()}`).digest('hex').slice(0, 8);

function processNamespace() {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
