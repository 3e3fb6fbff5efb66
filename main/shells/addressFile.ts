import {existsSync, rmSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {makeTemporaryFolder} from '../setup/owner.mjs';

/**
 * An HTML file that redirects to a secret address. Only this user can read the file. The address of the file is not
 * secret, so it may be in a command line, which every user of the machine can read.
 */
export class AddressFile {
  readonly #folder: string;
  /** The address of the file, with the scheme `file:`. */
  readonly url: string;

  /**
   * Writes the file into a new folder below `parent`, by default the system's temporary folder. If the user has a
   * Chromium from a snap, the new folder is in the snap's folder instead.
   */
  constructor(address: string, parent?: string) {
    // a Chromium from a snap has a /tmp of its own, so it could not read a file in the usual /tmp
    const snaps = join(homedir(), 'snap/chromium/common');
    // the folder has mode 0700
    this.#folder = makeTemporaryFolder(existsSync(snaps) ? snaps : parent);
    const file = join(this.#folder, 'open.html');
    writeFileSync(file, leadTo(address), {mode: 0o600, flag: 'wx'});
    this.url = pathToFileURL(file).href;
  }

  remove(): void {
    rmSync(this.#folder, {recursive: true, force: true});
  }
}

/** HTML that opens `address` immediately. */
function leadTo(address: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Interleave</title><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}">\n`;
}
