import {COMMAND_GROUPS, type Command} from '../feature.ts';
import {matchScore} from './fuzzy.ts';

/** One line of the palette. */
export interface Entry {
  readonly command: Command;
  /** The value that choosing the entry sets: the typed text, and what it means. Null if the entry sets no value. */
  readonly value: {readonly typed: string; readonly text: string} | null;
}

/**
 * The entries for a typed text, the best first. Without a text, these are all commands, and those that were used last
 * come first. A text such as `loss 5` gives an entry that sets the setting to the value.
 */
export function entriesFor(typed: string, commands: readonly Command[], recent: readonly string[]): readonly Entry[] {
  const text = typed.trim();
  const used = (command: Command) => {
    const at = recent.indexOf(command.id);
    return at < 0 ? recent.length : at;
  };
  if (text === '') {
    return commands
      .map(command => ({command, value: null}))
      .sort((a, b) => used(a.command) - used(b.command) || groupOf(a.command) - groupOf(b.command));
  }
  const scored = commands.flatMap(command => {
    const score = matchScore(text, command.title, command.words);
    return score === null ? [] : [{entry: {command, value: null}, score}];
  });
  return [...scored, ...withValues(text, commands)]
    .sort((a, b) => b.score - a.score || used(a.entry.command) - used(b.entry.command))
    .slice(0, MOST_ENTRIES)
    .map(({entry}) => entry);
}

/** The entries for typed texts such as `loss 5`, in which a value of a setting follows words of the setting's name. */
function withValues(text: string, commands: readonly Command[]): {entry: Entry; score: number}[] {
  const words = text.split(/\s+/);
  const found: {entry: Entry; score: number}[] = [];
  for (const command of commands) {
    for (let names = 1; names < words.length; names++) {
      const score = matchScore(words.slice(0, names).join(' '), command.title, command.words);
      const typed = words.slice(names).join(' ');
      const means = score === null ? null : (command.value?.read(typed) ?? null);
      if (score === null || means === null) continue;
      found.push({entry: {command, value: {typed, text: means}}, score: score + VALUE_BONUS});
      break;
    }
  }
  return found;
}

function groupOf({group}: Command): number {
  return COMMAND_GROUPS.indexOf(group);
}

/**
 * Adds the id of a command that was just used to the ids of the commands that were used last. The newest id is first.
 */
export function afterUse(recent: readonly string[], id: string): readonly string[] {
  return [id, ...recent.filter(each => each !== id)].slice(0, MOST_RECENT);
}

/** An entry with a value ranks above all entries without one, even if the typed value also occurs in another title. */
const VALUE_BONUS = 1000;
const MOST_ENTRIES = 60;
const MOST_RECENT = 8;
