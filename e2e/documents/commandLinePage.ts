import {COMMANDS} from '../../main/cli/commands/list.ts';
import {help} from '../../main/cli/help.ts';

/** The text of docs/command-line.md: the overview, the help of every command, and the help about scenarios. */
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

- **Exit code.** 0: the command succeeded. 1: a page could not be fetched, a movie or picture could not be made, or a live load is not complete. 2: the input is wrong, or an output cannot be written. 128 + N: signal N ended the program. An error is one line on standard error.
- **Output.** \`--out -\` writes to standard output if the help of the option says so. An existing file is replaced only when the new file is complete.
- **Environment.** \`INTERLEAVE_TOKEN\` is the token of a server that the program starts, or the tokens for servers from which it loads. \`INTERLEAVE_GATEWAY\` is the address of a gateway that fetches pages, and \`INTERLEAVE_GATEWAY_TOKEN\` is its token. \`INTERLEAVE_BROWSER\` is the path of the Chromium or Chrome that makes pictures and movies, and that records pages. \`INTERLEAVE_DATA\` is the folder for drafts of stories and for what the window remembers. \`XDG_CACHE_HOME\` is the folder for the cache of opened pages, and of converted and measured pictures.
`;
