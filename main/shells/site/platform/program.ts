/** Replaces main/files/program.ts in the web edition. The build fills in the version. */
declare const INTERLEAVE_VERSION: string;

export function program(): string {
  return `interleave ${programVersion()}`;
}

export function programVersion(): string {
  return INTERLEAVE_VERSION;
}
