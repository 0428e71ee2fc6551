import { readFileSync } from 'node:fs';

/** A call of the runtime that a test case makes, and its expected result. */
export interface Call {
  method:
    | 'Initialize'
    | 'Terminate'
    | 'Commit'
    | 'GetValue'
    | 'SetValue'
    | 'GetErrorString'
    | 'GetLastError'
    | 'GetDiagnostic'
    | 'compareObjectives';
  /** An element may hold `&id&` for the index of the objective or store that has this id. */
  element: string;
  value: string;
  /** Null if any result is accepted. */
  result: string | null;
  error: string | null;
}

/** A visit to an activity, in the order in which a test case expects them. */
export interface Visit {
  activity: string;
  calls: Call[];
  /** Questions about the player's controls, with the expected answers. */
  questions: { key: string; isYes: boolean }[];
  /** What the learner does then, such as `Choice~Activity 2`; empty if the course continues without the learner. */
  instruction: string;
}

/** One of ADL's test cases. */
export interface TestCase {
  name: string;
  /** The title of the unit that the learner chooses first; null if the course begins without a choice. */
  start: string | null;
  visits: Visit[];
}

const LEARNER_NAMES = /\bLN\b|\bLI\b/;

/** Reads the abbreviations of the test cases, or a case's own lines, in order. */
export function readProperties(file: string): [string, string][] {
  const joined = readFileSync(file, 'latin1').replaceAll(/\\\r?\n/g, '');
  return joined.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf('=');
    return /^\s*#/.test(line) || at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1)]];
  });
}

/** Reads a test case. */
export function readTestCase(file: string, name: string, words: ReadonlyMap<string, string>): TestCase {
  const visits: Visit[] = [];
  let latest = '';
  let start: string | null = null;
  for (const [key, value] of readProperties(file)) {
    const text = value.replaceAll(/\\u([0-9A-Fa-f]{4})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (key === 'start') start = text.trim() === '.' ? null : text.trim();
    const [, activity, visit, what] = /^Act(\w+?)V(\d+)\.(.+)$/.exec(key) ?? [];
    if (activity === undefined || what === undefined) continue;
    const id = `${activity} ${visit}`;
    if (id !== latest) visits.push({ activity, calls: [], questions: [], instruction: '' });
    latest = id;
    const current = visits.at(-1) as Visit;
    if (what.startsWith('commands')) current.calls.push(...callsOf(text, words));
    else if (what === 'CUI') current.instruction = text.trim();
    else if (what === 'UIQ')
      current.questions = text
        .trim()
        .split('~')
        .map((each) => ({ key: each, isYes: false }));
    else if (what === 'UIA') {
      for (const [index, answer] of text.trim().split('~').entries()) {
        const question = current.questions[index];
        if (question !== undefined) question.isYes = answer === 'Y';
      }
    }
  }
  return { name, start, visits };
}

const METHODS: Readonly<Record<string, Call['method']>> = {
  I: 'Initialize',
  T: 'Terminate',
  C: 'Commit',
  GET: 'GetValue',
  SET: 'SetValue',
  GES: 'GetErrorString',
  GLE: 'GetLastError',
  GeDi: 'GetDiagnostic',
  COI: 'compareObjectives',
};

/**
 * A line such as `SET->c~SS!pass->t->0`. ADL's program ignores a line without a known command, and one test case has
 * such a line.
 */
function callsOf(line: string, words: ReadonlyMap<string, string>): Call[] {
  const call = callOf(line, words);
  return call === null ? [] : [call];
}

function callOf(line: string, words: ReadonlyMap<string, string>): Call | null {
  const parts = line.split('->');
  const [code = '', parameters = ''] = parts;
  const method = METHODS[code.trim()];
  if (method === undefined) return null;
  const word = (text: string) => words.get(text)?.trim() ?? text;
  if (method === 'Terminate') return { method, element: '', value: '', result: null, error: null };
  if (method === 'compareObjectives') {
    return { method, element: parameters, value: '', result: null, error: null };
  }
  const expected = parts.slice(2, -1).at(-1) ?? '';
  const error = parts.length > 2 ? (parts.at(-1)?.trim() ?? '') : null;
  if (method === 'SetValue') {
    const mark = parameters.indexOf('!');
    const element = elementOf(parameters.slice(0, mark), word);
    return {
      method,
      element,
      value: setValueOf(parameters.slice(mark + 1), word),
      result: word(expected),
      error,
    };
  }
  const isGet = method === 'GetValue';
  const element = isGet && parameters.includes('~') ? elementOf(parameters, word) : parameters;
  const result = isGet && LEARNER_NAMES.test(parameters) ? null : word(expected);
  return { method, element, value: '', result, error };
}

function elementOf(text: string, word: (text: string) => string): string {
  const [, asked, target] = /^a~n~rv~(TY\.c|N\.j)~tar~(.+)$/.exec(text) ?? [];
  if (asked !== undefined) return `adl.nav.request_valid.${word(asked)}.{target=${target}}`;
  return text
    .split('~')
    .map((segment) => word(segment.replace(/!.*$/, '')))
    .join('.');
}

function setValueOf(text: string, word: (text: string) => string): string {
  const [, target, to] = /^tar~(.+)~(TY\.c|N\.j)$/.exec(text) ?? [];
  return target === undefined ? word(text) : `{target=${target}}${word(to ?? '')}`;
}
