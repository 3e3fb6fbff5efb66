/** A bar on a terminal; nothing where the stream is none. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** `what` is counted. */
export function startProgress(stream: NodeJS.WriteStream, what: string): Progress {
  if (!stream.isTTY) return {show: () => {}, end: () => {}};
  const startedMs = Date.now();
  return {
    show: (done, total) => {
      const filled = Math.round((BAR_CELLS * done) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      const leftS = Math.ceil(((Date.now() - startedMs) / 1000) * (total / done - 1));
      stream.write(`\r${bar} ${done}/${total} ${what}, ${leftS} s left \u001b[K`);
    },
    end: () => stream.write('\r\u001b[K'),
  };
}

const BAR_CELLS = 30;
