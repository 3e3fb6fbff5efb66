/**
 * Of how curves are measured: raised with each change that moves the goldens (`renderer/quality/goldens`), so that
 * nobody takes curves of before for those of now.
 */
export const MEASURING_VERSION = 3;
