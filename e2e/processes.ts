import {spawnSync} from 'node:child_process';
import {whyNoSandbox} from '../main/setup/browser.mjs';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The ids of the main processes of browsers that process `pid` has started for recording. */
export function browsersOf(pid: number): readonly number[] {
  const {stdout} = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], {encoding: 'utf8'});
  const all = stdout.split('\n').flatMap((line): Process[] => {
    const [, own, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{pid: Number(own), parent: Number(parent), command}];
  });
  return all
    .filter(({parent}) => parent === pid)
    .filter(({command}) => command.includes('--remote-debugging-pipe') && !command.includes('--type='))
    .map(each => each.pid);
}

/** Kills browsers with SIGKILL, which leaves them no time to clean up. */
export function killBrowsers(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** A program's standard error, without the line that says that root's browser has no sandbox. */
export function saidBeside(stderr: string): string {
  return stderr.replace(`interleave: ${whyNoSandbox()}\n`, '');
}
