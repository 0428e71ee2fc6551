/** The data models of the standards, element by element, for tests of the player's runtime. */

/** An element of a data model. */
export interface ElementRule {
  /** With `n` for the index in a list, and `m` for the index in a list below that. */
  element: string;
  access: 'read' | 'write' | 'both';
  /** The value in a unit without stored data; null if reading it is an error. Defaults to the empty text. */
  initial?: string | null;
  good?: readonly string[];
  /** Values that the type refuses. */
  bad?: readonly string[];
  /** Values of the right type, but outside the range. */
  outside?: readonly string[];
}

const long = (length: number) => 'x'.repeat(length);
const STATUSES_12 = ['passed', 'completed', 'failed', 'incomplete', 'browsed'];
const SCORE_12 = { good: ['0', '100', '85.5', ''], bad: ['abc', '150', '-1', '1e2x'] };
const TIMESPANS = {
  good: ['00:00:00', '0001:30:00.25', '9999:59:59.99', '12:00:01'],
  bad: ['abc', '30', '00:00:61x', 'PT1S'],
};

/** SCORM 1.2 Run-Time Environment 3.4.4. Suspend data, comments and the location may be longer than it says. */
export const SCORM_12_ELEMENTS: readonly ElementRule[] = [
  {
    element: 'cmi.core._children',
    access: 'read',
    initial:
      'student_id,student_name,lesson_location,credit,lesson_status,entry,score,total_time,lesson_mode,exit,session_time',
  },
  { element: 'cmi.core.student_id', access: 'read' },
  { element: 'cmi.core.student_name', access: 'read' },
  { element: 'cmi.core.lesson_location', access: 'both', good: ['page 1', '', long(255), long(4_000)] },
  { element: 'cmi.core.credit', access: 'read' },
  {
    element: 'cmi.core.lesson_status',
    access: 'both',
    initial: 'not attempted',
    good: STATUSES_12,
    bad: ['not attempted', 'Passed', 'done', 'unknown', ''],
  },
  { element: 'cmi.core.entry', access: 'read' },
  { element: 'cmi.core.score._children', access: 'read', initial: 'raw,min,max' },
  { element: 'cmi.core.score.raw', access: 'both', ...SCORE_12 },
  { element: 'cmi.core.score.min', access: 'both', ...SCORE_12 },
  { element: 'cmi.core.score.max', access: 'both', initial: '100', ...SCORE_12 },
  { element: 'cmi.core.total_time', access: 'read', initial: '00:00:00' },
  { element: 'cmi.core.lesson_mode', access: 'read', initial: 'normal' },
  {
    element: 'cmi.core.exit',
    access: 'write',
    good: ['time-out', 'suspend', 'logout', ''],
    bad: ['Suspend', 'x'],
  },
  { element: 'cmi.core.session_time', access: 'write', ...TIMESPANS },
  { element: 'cmi.suspend_data', access: 'both', good: ['a=1', '', long(4_096), long(100_000)] },
  { element: 'cmi.launch_data', access: 'read' },
  { element: 'cmi.comments', access: 'both', good: ['Well done', '', long(4_096)] },
  { element: 'cmi.comments_from_lms', access: 'read' },
  { element: 'cmi.objectives._children', access: 'read', initial: 'id,score,status' },
  { element: 'cmi.objectives._count', access: 'read', initial: '0' },
  { element: 'cmi.objectives.n.id', access: 'both', good: ['o1', 'urn:x', long(255)], bad: ['', long(256)] },
  { element: 'cmi.objectives.n.score._children', access: 'read', initial: 'raw,min,max' },
  { element: 'cmi.objectives.n.score.raw', access: 'both', ...SCORE_12 },
  { element: 'cmi.objectives.n.score.min', access: 'both', ...SCORE_12 },
  { element: 'cmi.objectives.n.score.max', access: 'both', initial: '100', ...SCORE_12 },
  {
    element: 'cmi.objectives.n.status',
    access: 'both',
    good: [...STATUSES_12, 'not attempted'],
    bad: ['done', 'Passed'],
  },
  {
    element: 'cmi.student_data._children',
    access: 'read',
    initial: 'mastery_score,max_time_allowed,time_limit_action',
  },
  { element: 'cmi.student_data.mastery_score', access: 'read' },
  { element: 'cmi.student_data.max_time_allowed', access: 'read' },
  { element: 'cmi.student_data.time_limit_action', access: 'read' },
  { element: 'cmi.student_preference._children', access: 'read', initial: 'audio,language,speed,text' },
  {
    element: 'cmi.student_preference.audio',
    access: 'both',
    good: ['-1', '0', '100'],
    bad: ['abc', '1.5', '101', '-2'],
  },
  {
    element: 'cmi.student_preference.language',
    access: 'both',
    good: ['en', '', long(255)],
    bad: [long(256)],
  },
  {
    element: 'cmi.student_preference.speed',
    access: 'both',
    good: ['-100', '0', '100'],
    bad: ['abc', '101', '-101'],
  },
  { element: 'cmi.student_preference.text', access: 'both', good: ['-1', '0', '1'], bad: ['abc', '2', '-2'] },
  {
    element: 'cmi.interactions._children',
    access: 'read',
    initial: 'id,objectives,time,type,correct_responses,weighting,student_response,result,latency',
  },
  { element: 'cmi.interactions._count', access: 'read', initial: '0' },
  { element: 'cmi.interactions.n.id', access: 'write', good: ['q1', long(255)], bad: ['', long(256)] },
  { element: 'cmi.interactions.n.objectives._count', access: 'read', initial: '0' },
  { element: 'cmi.interactions.n.objectives.m.id', access: 'write', good: ['o1'], bad: ['', long(256)] },
  {
    element: 'cmi.interactions.n.time',
    access: 'write',
    good: ['00:00:00', '23:59:59', '12:30:00.5'],
    bad: ['abc', '25:00:00', '1:00', '12:00'],
  },
  {
    element: 'cmi.interactions.n.type',
    access: 'write',
    good: ['true-false', 'choice', 'fill-in', 'matching', 'performance', 'sequencing', 'likert', 'numeric'],
    bad: ['other', 'Choice', ''],
  },
  { element: 'cmi.interactions.n.correct_responses._count', access: 'read', initial: '0' },
  { element: 'cmi.interactions.n.correct_responses.m.pattern', access: 'write', good: ['t', '{a,b}', '1:5'] },
  { element: 'cmi.interactions.n.weighting', access: 'write', good: ['1', '0.5', '-1'], bad: ['abc'] },
  { element: 'cmi.interactions.n.student_response', access: 'write', good: ['t', 'a,b', ''] },
  {
    element: 'cmi.interactions.n.result',
    access: 'write',
    good: ['correct', 'wrong', 'unanticipated', 'neutral', '0.5', '-3', '1500'],
    bad: ['right', 'x'],
  },
  { element: 'cmi.interactions.n.latency', access: 'write', ...TIMESPANS },
];

const REAL = { good: ['0', '-1.5', '100', '1.25'], bad: ['abc', '1,5', ''] };
const SCALED = { initial: null, good: ['-1', '0', '0.5', '1'], bad: ['abc', ''], outside: ['1.1', '-2'] };
const MEASURE = { initial: null, good: ['0', '0.25', '1'], bad: ['abc', ''], outside: ['1.1', '-0.1'] };
const COMPLETION = {
  initial: 'unknown',
  good: ['completed', 'incomplete', 'not attempted', 'unknown'],
  bad: ['passed', 'Completed', ''],
};
const SUCCESS = {
  initial: 'unknown',
  good: ['passed', 'failed', 'unknown'],
  bad: ['completed', 'Passed', ''],
};
const DURATIONS = {
  good: ['PT0S', 'PT1H30M', 'P1Y2M3DT4H5M6.78S', 'P1D', 'PT0.5S'],
  bad: ['abc', '00:30:00', 'PT', 'P', 'PT1.5M', '', 'P1S'],
};
const TIMES = {
  good: [
    '2026',
    '2026-01',
    '2026-01-31',
    '2026-01-31T09:30',
    '2026-01-31T09:30:00.25',
    '2026-01-31T09:30:00.0Z',
    '2026-01-31T09:30:00.25+01:00',
  ],
  bad: ['abc', '2026-13-01', '2026-01-32', '09:30', '2026-01-31T25:00:00', ''],
};
const ID = { good: ['q1', 'urn:x-example:q1', 'https://example.com/q/1'], bad: ['', '   '] };
const STRING_250 = { good: ['page 1', long(250), '{lang=en}Well done'] };

/** SCORM 2004 4th edition, Run-Time Environment 4.2. Suspend data and the location may be longer than it says. */
export const SCORM_2004_ELEMENTS: readonly ElementRule[] = [
  { element: 'cmi._version', access: 'read', initial: '1.0' },
  { element: 'cmi.comments_from_learner._children', access: 'read', initial: 'comment,location,timestamp' },
  { element: 'cmi.comments_from_learner._count', access: 'read', initial: '0' },
  {
    element: 'cmi.comments_from_learner.n.comment',
    access: 'both',
    initial: null,
    good: ['Well done', '{lang=en}Fine', long(4_000)],
  },
  {
    element: 'cmi.comments_from_learner.n.location',
    access: 'both',
    initial: null,
    good: ['page 1', long(250)],
  },
  { element: 'cmi.comments_from_learner.n.timestamp', access: 'both', initial: null, ...TIMES },
  { element: 'cmi.comments_from_lms._children', access: 'read', initial: 'comment,location,timestamp' },
  { element: 'cmi.comments_from_lms._count', access: 'read', initial: '0' },
  { element: 'cmi.completion_status', access: 'both', ...COMPLETION },
  { element: 'cmi.completion_threshold', access: 'read', initial: null },
  { element: 'cmi.credit', access: 'read', initial: 'credit' },
  { element: 'cmi.entry', access: 'read' },
  {
    element: 'cmi.exit',
    access: 'write',
    good: ['time-out', 'suspend', 'logout', 'normal', ''],
    bad: ['Suspend', 'x'],
  },
  {
    element: 'cmi.interactions._children',
    access: 'read',
    initial:
      'id,type,objectives,timestamp,correct_responses,weighting,learner_response,result,latency,description',
  },
  { element: 'cmi.interactions._count', access: 'read', initial: '0' },
  { element: 'cmi.interactions.n.id', access: 'both', ...ID },
  {
    element: 'cmi.interactions.n.type',
    access: 'both',
    initial: null,
    good: [
      'true-false',
      'choice',
      'fill-in',
      'long-fill-in',
      'matching',
      'performance',
      'sequencing',
      'likert',
      'numeric',
      'other',
    ],
    bad: ['Choice', 'x', ''],
  },
  { element: 'cmi.interactions.n.objectives._count', access: 'read', initial: '0' },
  {
    element: 'cmi.interactions.n.objectives.m.id',
    access: 'both',
    good: ['o1', 'urn:x-example:o1'],
    bad: ['', '  '],
  },
  { element: 'cmi.interactions.n.timestamp', access: 'both', initial: null, ...TIMES },
  { element: 'cmi.interactions.n.correct_responses._count', access: 'read', initial: '0' },
  { element: 'cmi.interactions.n.weighting', access: 'both', initial: null, ...REAL },
  {
    element: 'cmi.interactions.n.result',
    access: 'both',
    initial: null,
    good: ['correct', 'incorrect', 'unanticipated', 'neutral', '0.5', '-3', '12345.5'],
    bad: ['wrong', 'x', ''],
  },
  { element: 'cmi.interactions.n.latency', access: 'both', initial: null, ...DURATIONS },
  { element: 'cmi.interactions.n.description', access: 'both', initial: null, ...STRING_250 },
  { element: 'cmi.launch_data', access: 'read', initial: null },
  { element: 'cmi.learner_id', access: 'read' },
  { element: 'cmi.learner_name', access: 'read' },
  {
    element: 'cmi.learner_preference._children',
    access: 'read',
    initial: 'audio_level,language,delivery_speed,audio_captioning',
  },
  {
    element: 'cmi.learner_preference.audio_level',
    access: 'both',
    initial: '1',
    good: ['0', '0.5', '1', '20'],
    bad: ['abc', ''],
    outside: ['-1'],
  },
  {
    element: 'cmi.learner_preference.language',
    access: 'both',
    good: ['', 'en', 'en-GB', 'fr'],
    bad: ['english language', '1'],
  },
  {
    element: 'cmi.learner_preference.delivery_speed',
    access: 'both',
    initial: '1',
    good: ['0', '0.5', '2'],
    bad: ['abc', ''],
    outside: ['-1'],
  },
  {
    element: 'cmi.learner_preference.audio_captioning',
    access: 'both',
    initial: '0',
    good: ['-1', '0', '1'],
    bad: ['2', 'abc', ''],
  },
  { element: 'cmi.location', access: 'both', initial: null, good: ['page 1', '', long(1_000), long(4_000)] },
  { element: 'cmi.max_time_allowed', access: 'read', initial: null },
  { element: 'cmi.mode', access: 'read', initial: 'normal' },
  {
    element: 'cmi.objectives._children',
    access: 'read',
    initial: 'id,score,success_status,completion_status,description,progress_measure',
  },
  { element: 'cmi.objectives._count', access: 'read', initial: '0' },
  { element: 'cmi.objectives.n.id', access: 'both', good: ['o1'], bad: ['', '  '] },
  { element: 'cmi.objectives.n.score._children', access: 'read', initial: 'scaled,raw,min,max' },
  { element: 'cmi.objectives.n.score.scaled', access: 'both', ...SCALED },
  { element: 'cmi.objectives.n.score.raw', access: 'both', initial: null, ...REAL },
  { element: 'cmi.objectives.n.score.min', access: 'both', initial: null, ...REAL },
  { element: 'cmi.objectives.n.score.max', access: 'both', initial: null, ...REAL },
  { element: 'cmi.objectives.n.success_status', access: 'both', ...SUCCESS },
  { element: 'cmi.objectives.n.completion_status', access: 'both', ...COMPLETION },
  { element: 'cmi.objectives.n.progress_measure', access: 'both', ...MEASURE },
  { element: 'cmi.objectives.n.description', access: 'both', initial: null, ...STRING_250 },
  { element: 'cmi.progress_measure', access: 'both', ...MEASURE },
  { element: 'cmi.scaled_passing_score', access: 'read', initial: null },
  { element: 'cmi.score._children', access: 'read', initial: 'scaled,raw,min,max' },
  { element: 'cmi.score.scaled', access: 'both', ...SCALED },
  { element: 'cmi.score.raw', access: 'both', initial: null, ...REAL },
  { element: 'cmi.score.min', access: 'both', initial: null, ...REAL },
  { element: 'cmi.score.max', access: 'both', initial: null, ...REAL },
  { element: 'cmi.session_time', access: 'write', ...DURATIONS },
  { element: 'cmi.success_status', access: 'both', ...SUCCESS },
  {
    element: 'cmi.suspend_data',
    access: 'both',
    initial: null,
    good: ['a=1', '', long(64_000), long(100_000)],
  },
  { element: 'cmi.time_limit_action', access: 'read', initial: 'continue,no message' },
  { element: 'cmi.total_time', access: 'read', initial: 'PT0S' },
  {
    element: 'adl.nav.request',
    access: 'both',
    initial: '_none_',
    good: [
      'continue',
      'previous',
      'exit',
      'exitAll',
      'abandon',
      'abandonAll',
      'suspendAll',
      '{target=b}choice',
      '{target=b}jump',
      '_none_',
    ],
    bad: ['next', '{target=nowhere}choice', ''],
  },
  { element: 'adl.nav.request_valid.continue', access: 'read', initial: 'true' },
  { element: 'adl.nav.request_valid.previous', access: 'read', initial: 'false' },
  { element: 'adl.nav.request_valid.choice.{target=b}', access: 'read', initial: 'true' },
  { element: 'adl.nav.request_valid.jump.{target=b}', access: 'read', initial: 'true' },
  { element: 'adl.data._children', access: 'read', initial: 'id,store' },
  { element: 'adl.data._count', access: 'read', initial: '0' },
];
