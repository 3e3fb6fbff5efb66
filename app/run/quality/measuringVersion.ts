/**
 * Of how curves are measured: raised with each change that moves curves, those of the goldens (`renderer/run/quality/goldens`)
 * or of other formats, so that nobody takes curves of before for those of now.
 */
export const MEASURING_VERSION = 4;
