/** A progress bar on a terminal. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/**
 * Runs `work`, and shows a progress bar on standard error until `work` ends. `what` names the things that are counted.
 */
export async function withProgress<T>(what: string, work: (show: Progress['show']) => Promise<T>): Promise<T> {
  const progress = startProgress(process.stderr, what);
  try {
    return await work(progress.show);
  } finally {
    progress.end();
  }
}

/**
 * Starts a progress bar. If the stream is not a terminal, nothing is shown.
 * @param what names the things that are counted
 * @param nowMs returns the time in ms since any fixed moment
 */
export function startProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  what: string,
  nowMs: () => number = () => performance.now(),
): Progress {
  if (!stream.isTTY) return {show: () => {}, end: () => {}};
  /** The call of `show` since which the pace is measured: the first call, or the latest one with `done` 0 or 1. */
  let first: {readonly done: number; readonly atMs: number} | undefined;
  return {
    show: (done, total) => {
      const atMs = nowMs();
      if (first === undefined || done <= 1) first = {done, atMs};
      const filled = total === 0 ? 0 : Math.round((BAR_CELLS * done) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      const each = done > first.done ? (atMs - first.atMs) / (done - first.done) : undefined;
      const left = each === undefined ? '' : `, ${Math.ceil((each * (total - done)) / 1000)} s left`;
      stream.write(`\r${bar} ${done}/${total} ${what}${left} \u001b[K`);
    },
    end: () => stream.write('\r\u001b[K'),
  };
}

const BAR_CELLS = 30;
