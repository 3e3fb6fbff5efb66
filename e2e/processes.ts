import {spawnSync} from 'node:child_process';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The browsers that process `pid` has started to take pictures: their main processes. */
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

/** `kill -9`: no one is asked. */
export function killBrowsers(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}
