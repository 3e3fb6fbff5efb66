import {startsOf} from './differences.ts';
import type {Scenario} from './scenario.ts';

/** Returns the shortest command that runs or records this scenario, quoted for a POSIX shell. */
export function commandLine(command: 'run' | 'record', scenario: Scenario): string {
  const commands = startsOf(scenario).map(({preset, settings}) =>
    [
      `npx interleave ${command}`,
      ...(preset === null ? [] : [`--scenario ${preset}`]),
      ...settings.map(([key, json]) => `--set ${quoted(`${key}=${json}`)}`),
    ].join(' '),
  );
  return commands.reduce((shortest, command) => (command.length < shortest.length ? command : shortest));
}

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w.=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
