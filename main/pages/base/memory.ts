import {readFileSync} from 'node:fs';

/**
 * The most memory that this process had so far, bytes, resident. Linux' own count (`maxRSS`) begins with what the
 * process had that started this one (getrusage(2) is kept by execve(2)); that of its address space does not.
 */
export function peakMemoryBytes(): number {
  return peakOfLinux() ?? process.resourceUsage().maxRSS * 1024;
}

/** Calls once if this process has more than `mostBytes`, resident; looks again and again while it lives. */
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
