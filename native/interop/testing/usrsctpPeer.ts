// Compiles usrsctp_get.c, usrsctp_peer.c and usrsctp_serve.c. They use Debian's libusrsctp, which is FreeBSD's SCTP in
// user space.
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';

interface UsrsctpProgram {
  readonly path: string;
  /** The text that is added to the names of tests; empty if the program can be compiled. */
  readonly missing: string;
}

/** Compiles `NAME.c` to a program in `folder`. */
export function compileUsrsctp(name: string, folder: string): UsrsctpProgram {
  const path = join(folder, name);
  const source = join(import.meta.dirname, `${name}.c`);
  const {status} = spawnSync('cc', ['-O1', '-o', path, source, '-lusrsctp', '-lpthread']);
  return {path, missing: status === 0 ? '' : ' (skipped: there is no C compiler with libusrsctp)'};
}
