/** A problem in the settings. */
export interface SettingProblem {
  /** The name as given; `null` if the problem concerns the whole file. */
  readonly setting: string | null;
  /** A sentence that says what is wrong, where it comes from and what is allowed. It contains no secret. */
  readonly text: string;
}

/** The settings cannot be used. The message lists every problem on a separate line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const count = problems.length === 1 ? '' : ` (${problems.length} problems)`;
    super([`Invalid settings${count}:`, ...problems.map((problem) => `- ${problem.text}`)].join('\n'));
    this.problems = problems;
  }
}
