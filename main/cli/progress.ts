/** A bar on a terminal. Nothing is shown if the stream is no terminal. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** Shows on standard error how far `work` is, until it ends. `what` is counted. */
export async function withProgress<T>(what: string, work: (show: Progress['show']) => Promise<T>): Promise<T> {
  const progress = startProgress(process.stderr, what);
  try {
    return await work(progress.show);
  } finally {
    progress.end();
  }
}

/** `what` is counted; `nowMs` is any clock. */
export function startProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  what: string,
  nowMs: () => number = () => performance.now(),
): Progress {
  if (!stream.isTTY) return {show: () => {}, end: () => {}};
  /** The first report. What comes before the first piece takes its own time and is not counted. */
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
