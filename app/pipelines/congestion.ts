import {CONGESTION_HELP, CONGESTIONS, type Congestion, congestionLabel} from '../http/congestion.ts';
import type {Ecn} from '../http/ecn.ts';
import {ecnText} from './ecn.ts';
import type {Setting} from './setting.ts';

/** The setting for the congestion control of both ends of a pane. */
export const CONGESTION = {
  kind: 'choice',
  help:
    'The congestion control of both ends. With profile, it is that of the profile: reno for classic, cubic for modern. ' +
    `${CONGESTION_HELP} All other rules remain those of the profile.`,
  label: 'Congestion control',
  choices: [['profile', 'that of the profile'], ...CONGESTIONS.map(name => [name, congestionLabel(name)] as const)],
  default: 'profile',
} as const satisfies Setting;

/** A value of the setting. */
type CongestionSetting = (typeof CONGESTION)['choices'][number][0];

/**
 * Returns a short text for a value of the setting. It is empty if the profile decides, because a pane's texts name the
 * profile anyway.
 */
export function congestionText(congestion: CongestionSetting): string {
  return congestion === 'profile' ? '' : congestionLabel(congestion);
}

/**
 * Returns the words for the rules of a pane's transport: its profile, its congestion control if that is not the one of
 * the profile, and ECN if it is on.
 */
export function stackWords(pane: {
  readonly profile: string;
  readonly congestion: CongestionSetting;
  readonly ecn: Ecn;
}): readonly string[] {
  return [pane.profile, congestionText(pane.congestion), ecnText(pane.ecn)].filter(word => word !== '');
}

/** Returns the options of a transport's end for a value of the setting. */
export function congestionOption(congestion: CongestionSetting): {readonly congestion?: Congestion} {
  return congestion === 'profile' ? {} : {congestion};
}
