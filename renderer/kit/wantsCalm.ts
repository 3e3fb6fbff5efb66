/** Whether the user has asked the system for reduced motion. */
export function wantsCalm(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
