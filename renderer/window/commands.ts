import {speedText} from '../../app/telling/movie/speed.ts';
import type {Command, Feature, Shortcut} from '../features/feature.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import type {Session} from '../session/session.ts';
import {SPEEDS} from './playing.ts';

/** All commands of a window with these features: keys (except Escape), views, features' commands, speeds and themes. */
export function commandsOf(
  session: Session,
  features: readonly Feature[],
  shortcuts: readonly Shortcut[],
): readonly Command[] {
  const views = new Set(VIEWS.map(({key}) => key));
  const keys = shortcuts.filter(({key}) => key !== 'Escape' && !views.has(key));
  return [
    ...keys.map(({key, text, act}): Command => ({id: `key ${key}`, group: 'command', title: sentence(text), key, act})),
    ...VIEWS.map(({name, label, key}): Command => {
      const act: Command['act'] = ({display}) => display.set({timeline: name});
      return {id: `view ${name}`, group: 'view', title: `View: ${label}`, words: `timeline ${name}`, key, act};
    }),
    ...features.flatMap(({commands}) => commands?.(session) ?? []),
    ...(['auto', ...SPEEDS] as const).map((speed): Command => {
      const title = speed === 'auto' ? 'Speed: auto' : `Speed: ${speed}×`;
      const words = speed === 'auto' ? '' : speedText(speed);
      return {id: `speed ${speed}`, group: 'speed', title, words, act: ({player}) => player.setSpeed(speed)};
    }),
    ...THEMES.map(
      ([theme, name]): Command => ({
        id: `theme ${name}`,
        group: 'theme',
        title: `Theme: ${name}`,
        act: ({display}) => display.set({theme}),
      }),
    ),
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const THEMES = [
  ['light', 'light'],
  ['dark', 'dark'],
  [null, 'as the system'],
] as const;
