/** After this time without input, nobody counts as using the page. */
const UNATTENDED_AFTER_MS = 120_000;
const INPUTS = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'click', 'focus'] as const;

/** Opening a page is use of it. */
let usedAt = Date.now();

/** Call it when the person uses the page, or waits for something that they have begun. */
export function noteUse(): void {
  usedAt = Date.now();
}

/** Whether the page repeats its requests without anybody using it. */
export function isUnattended(): boolean {
  return Date.now() - usedAt > UNATTENDED_AFTER_MS;
}

/** Notes every input of the person from now on. Called once, by the entry point of the UI. */
export function watchUse(): void {
  for (const input of INPUTS) window.addEventListener(input, noteUse, { capture: true, passive: true });
}
