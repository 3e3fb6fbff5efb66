import {readFileSync} from 'node:fs';

/**
 * Peak of this process's resident memory so far, in bytes. On Linux it is read from /proc, because `maxRSS` includes
 * the peak of the parent process: execve(2) keeps the value that getrusage(2) reports.
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
  }, CHECK_INTERVAL_MS);
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

const CHECK_INTERVAL_MS = 50;
