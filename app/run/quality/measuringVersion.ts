/**
 * Version of how curves are measured. Raise it with each change of the curves (goldens: `renderer/run/quality/goldens`)
 * or of their format, so that cached curves of an older version are not used.
 */
export const MEASURING_VERSION = 4;
