/** A bar on a terminal; nothing where the stream is none. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** `what` is counted. */
export function startProgress(stream: NodeJS.WriteStream, what: string): Progress {
  if (!stream.isTTY) return {show: () => {}, end: () => {}};
  let firstMs = 0;
  return {
    show: (done, total) => {
      // what comes before the first takes its own time
      if (done <= 1) firstMs = Date.now();
      const filled = Math.round((BAR_CELLS * done) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      const left = done <= 1 ? '' : `, ${leftS(done, total, Date.now() - firstMs)} s left`;
      stream.write(`\r${bar} ${done}/${total} ${what}${left} \u001b[K`);
    },
    end: () => stream.write('\r\u001b[K'),
  };
}

const BAR_CELLS = 30;

function leftS(done: number, total: number, elapsedMs: number): number {
  return Math.ceil(((elapsedMs / (done - 1)) * (total - done)) / 1000);
}
