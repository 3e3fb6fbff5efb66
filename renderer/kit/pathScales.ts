import {linearScale, logScale, type Scale} from './scale.ts';

/** The scale for a loss rate. People read it in percent. */
export const PERCENT = linearScale({from: 0, to: 20, factor: 0.01, digits: 3});

/** The settings of a path, besides its loss, that are always visible. */
export const ALWAYS_VISIBLE = [
  {
    setting: 'rateBps',
    label: 'Rate',
    unit: 'kbit/s',
    scale: rateScale(1e3, {
      least: 1e6,
      unit: 'Mbit/s',
      scale: rateScale(1e6, {least: 1e9, unit: 'Gbit/s', scale: rateScale(1e9)}),
    }),
  },
  {setting: 'rttMs', label: 'RTT', unit: 'ms', scale: linearScale({from: 0, to: 2000, factor: 1, digits: 3})},
] as const;

/** The scale of rates in a unit of `factor` bit/s. The slider is the same in every unit: 10 kbit/s to 1 Gbit/s. */
function rateScale(factor: number, larger?: Scale['larger']): Scale {
  const scale = logScale({from: 1e4 / factor, to: 1e9 / factor, factor, digits: 3, isInteger: true});
  return larger === undefined ? scale : {...scale, larger};
}
