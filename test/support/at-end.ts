import { after } from 'node:test';

const steps: (() => Promise<void>)[] = [];

/**
 * Adds a step that runs once all tests of this process are over. Steps run in reverse order. Called while a module is
 * loaded.
 */
export function atEnd(step: () => Promise<void>): void {
  // Not before: a program that only imports this one would report as a program of tests.
  if (steps.length === 0)
    after(async () => {
      for (const each of steps) await each();
    });
  steps.unshift(step);
}
