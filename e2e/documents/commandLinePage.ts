import {COMMANDS} from '../../main/cli/commands/list.ts';
import {help} from '../../main/cli/help.ts';

/** The text of docs/command-line.md: the help of every command, in the order of the overview. */
export function commandLinePage(): string {
  const overview = help(undefined, COMMANDS);
  const topics = [...COMMANDS.map(({name}) => name), 'scenario'];
  const links = topics.map(name => `[${name}](#${anchorOf(name)})`).join(' · ');
  const sections = topics.map(name => `## ${headingOf(name)}\n\n${fenced(help(name, COMMANDS))}`);
  return `${HEAD}\n${links}\n\n## Overview\n\n${fenced(overview)}\n${sections.join('\n')}`;
}

function headingOf(topic: string): string {
  return topic === 'scenario' ? 'Scenarios' : `interleave ${topic}`;
}

function anchorOf(topic: string): string {
  return headingOf(topic).toLowerCase().replaceAll(' ', '-');
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

const HEAD = `# Command line

This page is the program's own help, which \`npx interleave help COMMAND\` prints. \`npm run docs\` makes it.

- **Exit code.** 0: the work is done. 2: the input is wrong, or an output cannot be written. 1: a page, movie or picture could not be made, or a live load is incomplete. 128 + N: signal N ended the program. Errors are one line on standard error.
- **Output.** \`--out -\` writes to standard output if the help says so. A file is replaced only when the new one is complete.
- **Environment.** \`INTERLEAVE_TOKEN\` is the token of a server that the program starts. \`INTERLEAVE_GATEWAY\` and \`INTERLEAVE_GATEWAY_TOKEN\` name a gateway that fetches pages. \`INTERLEAVE_BROWSER\` is the path of the Chromium that takes pictures. \`INTERLEAVE_DATA\` is the folder of drafts. \`XDG_CACHE_HOME\` is the folder of opened pages and measured pictures.
`;
