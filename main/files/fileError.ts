/** What could not be written, and why: one line for people. */
export class FileError extends Error {
  override readonly name = 'FileError';
  /** Of the system's error: ENOSPC. */
  readonly code: string;

  /** `advice` says what may help. */
  constructor(path: string, error: unknown, advice = '') {
    const {code = '', message} = error as NodeJS.ErrnoException;
    super(`cannot write ${path}: ${REASONS[code] ?? message}${advice && `; ${advice}`}`);
    this.code = code;
  }

  /** The place itself cannot be written to, whatever the content. */
  get isOfPlace(): boolean {
    return ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(this.code);
  }
}

const REASONS: {readonly [code: string]: string} = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it is larger than a file may be',
  EACCES: 'not allowed there',
  EPERM: 'not allowed there',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
};
