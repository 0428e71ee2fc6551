/** The data model of AICC, element by element (CMI001, chapters 5 and 6), for tests of what units read and write. */

/** An element of a group whose lines are names and values. */
export interface AiccElement {
  group: string;
  name: string;
  access: 'read' | 'write' | 'both';
  /** The value that a unit reads at its first launch. Empty unless given. */
  initial?: string;
  /** Valid values that a unit writes, each with the value that it then reads if that differs. */
  good?: readonly (string | readonly [written: string, read: string])[];
  /** Values of another type, or beyond the range. They change nothing, and HACP has no error for them. */
  bad?: readonly string[];
}

const long = (length: number) => 'x'.repeat(length);
const DECIMALS = {
  good: ['0', '100', '85.5', '85.', '-1', '.5', '1'.repeat(40)],
  bad: ['abc', '1e2', '8 5', '', '.', '1'.repeat(41)],
};
/** Only the first letter of a status word counts. */
const STATUSES = {
  good: [
    'passed',
    ['P', 'passed'],
    ['COMPLETED', 'completed'],
    ['complete', 'completed'],
    'failed',
    ['f', 'failed'],
    'incomplete',
    ['i', 'incomplete'],
    ['Browsed', 'browsed'],
    'not attempted',
    ['N/A', 'not attempted'],
  ],
  bad: ['done', 'x', '7', ''],
} as const;
const integers = (least: number, most: number) => ({
  good: [String(least), '0', String(most)],
  bad: ['abc', '1.5', String(least - 1), String(most + 1), ''],
});
const TEXT = { good: ['Blue', '', long(255)] };

/** `initial` holds the values of the learner and the course of the tests. */
export const AICC_ELEMENTS: readonly AiccElement[] = [
  { group: 'Core', name: 'Student_ID', access: 'read', initial: 'ann@example.com' },
  { group: 'Core', name: 'Student_Name', access: 'read', initial: 'ann@example.com' },
  { group: 'Core', name: 'Output_File', access: 'read' },
  { group: 'Core', name: 'Credit', access: 'read', initial: 'credit' },
  { group: 'Core', name: 'Lesson_Mode', access: 'read', initial: 'normal' },
  { group: 'Core', name: 'Lesson_Location', access: 'both', good: ['page 1', '', 'a=b; c', long(4_000)] },
  { group: 'Core', name: 'Lesson_Status', access: 'both', initial: 'not attempted, ab-initio', ...STATUSES },
  {
    group: 'Core',
    name: 'Score',
    access: 'both',
    good: [...DECIMALS.good, '85,100', '85,100,0', ['85, 100 , 0', '85,100,0'], ['85,abc,x', '85']],
    bad: [...DECIMALS.bad, 'abc,100,0'],
  },
  {
    group: 'Core',
    name: 'Time',
    access: 'both',
    initial: '0000:00:00.00',
    // Messages may arrive late: the time of a visit does not decrease.
    good: [
      ['00:01:30', '0000:01:30.00'],
      ['1:2:3', '0001:02:03.00'],
      ['0001:30:00.25', '0001:30:00.25'],
      ['9999:59:59', '9999:59:59.00'],
    ],
    bad: ['abc', '30', 'PT1M', '00:01', '00:00:61x', ''],
  },
  { group: 'Student_Data', name: 'Mastery_Score', access: 'read', initial: '80' },
  { group: 'Student_Data', name: 'Max_Time_Allowed', access: 'read', initial: '00:30:00' },
  { group: 'Student_Data', name: 'Time_Limit_Action', access: 'read', initial: 'exit,message' },
  { group: 'Student_Preferences', name: 'Audio', access: 'both', ...integers(-1, 100) },
  { group: 'Student_Preferences', name: 'Speed', access: 'both', ...integers(-100, 100) },
  { group: 'Student_Preferences', name: 'Text', access: 'both', ...integers(-1, 1) },
  ...['Language', 'Lesson_Type', 'Text_Color', 'Text_Location', 'Text_Size', 'Video', 'Window.1'].map(
    (name) => ({ group: 'Student_Preferences', name, access: 'both' as const, ...TEXT }),
  ),
  ...[1, 2].flatMap((n): AiccElement[] => [
    { group: 'Objectives_Status', name: `J_Score.${n}`, access: 'both', ...DECIMALS },
    { group: 'Objectives_Status', name: `J_Status.${n}`, access: 'both', ...STATUSES },
  ]),
];
