/** What could not be written, and why: one line for people. */
export class FileError extends Error {
  override readonly name = 'FileError';
  /** Of the system's error: ENOSPC. */
  readonly code: string;

  constructor(path: string, error: unknown) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    super(`cannot write ${path}: ${REASONS[code] ?? message}`);
    this.code = code;
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
