import {readFileSync} from 'node:fs';

/**
 * The most resident memory that this process has had so far, in bytes. On Linux it is read from /proc, because `maxRSS`
 * starts with the peak of the process that started this one (execve(2) keeps getrusage(2)'s value).
 */
export function peakMemoryBytes(): number {
  return peakOfLinux() ?? process.resourceUsage().maxRSS * 1024;
}

/** Calls `onExceeded` once, when this process has more resident memory than `mostBytes`. */
export function watchMemory(mostBytes: number, onExceeded: () => void): void {
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= mostBytes) return;
    clearInterval(timer);
    onExceeded();
  }, LOOK_AGAIN_MS);
  timer.unref();
}

function peakOfLinux(): number | undefined {
  try {
    const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

const LOOK_AGAIN_MS = 50;
