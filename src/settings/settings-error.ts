/** One thing that is wrong with the settings. */
export interface SettingProblem {
  /** The name as it was given; `null` when the file as a whole is meant. */
  readonly setting: string | null;
  /** A sentence that says what is wrong, where it came from and what would be right. It holds no secret. */
  readonly text: string;
}

/** The settings cannot be used. The message lists every problem, each on a line of its own. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[], options?: ErrorOptions) {
    const count = problems.length === 1 ? '' : ` (${problems.length} problems)`;
    super(
      [`Invalid settings${count}:`, ...problems.map((problem) => `- ${problem.text}`)].join('\n'),
      options,
    );
    this.problems = problems;
  }
}
