import { appendFileSync } from 'node:fs';

/** Reports in a sentence what a proof did not check, and why. `npm run prove` repeats it below its table. */
export function noteSkipped(sentence: string): void {
  const { PROOF_NOTES, PROOF_NAME = 'the proof' } = process.env;
  const line = `Not checked by ${PROOF_NAME}: ${sentence}`;
  // biome-ignore lint/suspicious/noConsole: whoever runs the proof wants to know
  console.log(line);
  if (PROOF_NOTES !== undefined) appendFileSync(PROOF_NOTES, `${line}\n`);
}
