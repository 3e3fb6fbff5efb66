// Compiles the programs on Debian's libusrsctp (FreeBSD's SCTP stack in user space): usrsctp_get.c, usrsctp_peer.c and
// usrsctp_serve.c.
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';

interface UsrsctpProgram {
  readonly path: string;
  /** What a test's name says if the program cannot be compiled; empty if it can. */
  readonly missing: string;
}

/** Compiles `NAME.c` to a program in `folder`. */
export function compileUsrsctp(name: string, folder: string): UsrsctpProgram {
  const path = join(folder, name);
  const source = join(import.meta.dirname, `${name}.c`);
  const {status} = spawnSync('cc', ['-O1', '-o', path, source, '-lusrsctp', '-lpthread']);
  return {path, missing: status === 0 ? '' : ' (skipped: there is no C compiler with libusrsctp)'};
}
