import { isAscii } from 'node:buffer';
import { ProblemError } from '../../problems/problem.ts';
import { decodePercent } from '../percent-encoding.ts';

/** Requests and responses of HACP, the HTTP protocol of AICC (CMI001, chapter 6). */

/** A request: its command in lower case, its session id, and its data. */
export interface HacpRequest {
  command: string;
  sessionId: string;
  data: string;
}

/** The error numbers of HACP. */
const HACP_ERRORS = {
  successful: { code: 0, text: 'Successful' },
  invalidCommand: { code: 1, text: 'Invalid Command' },
  invalidSession: { code: 3, text: 'Invalid Session ID' },
} as const;

/** Groups that contain names and values, or free text. Any other line in brackets is part of that text. */
const GROUPS = [
  'core',
  'core_lesson',
  'core_vendor',
  'comments',
  'evaluation',
  'objectives_status',
  'student_data',
  'student_demographics',
  'student_preferences',
];
/** Maximum length of a row. Real data is shorter. */
const MAX_ROW_LENGTH = 20_000;
/** Maximum number of columns in a row. The tables of CMI001 have up to eleven. */
const MAX_COLUMNS = 100;
/** Maximum number of fields in a form. HACP has five. */
const MAX_FIELDS = 100;
/** Maximum number of lines in the data of a message. */
const MAX_LINES = 600_000;
/** Maximum number of values in a group. A unit with 3,000 objectives has fewer. */
const MAX_VALUES = 10_000;
/** Maximum number of cells in the rows of a message. 5,000 interactions have 45,000. */
const MAX_CELLS = 150_000;
/** Maximum length of a line that starts a group. */
const MAX_GROUP_LENGTH = 100;
const GROUP = /^\s*\[([a-z_]+)\]\s*$/i;
const PAIR = /^\s*([A-Za-z_.\d]+)\s*=(.*)$/;
const LINE_END = /\r\n|\r|\n/;
/** Only `escape()` of JavaScript writes this. Any other encoding of the same text begins with `%25`. */
const CODE_UNIT = /%u[0-9a-fA-F]{4}/;

/**
 * Parses a form. Courses write the names in any case and the escapes in various encodings.
 * @param body one character per byte
 */
export function readHacp(body: string): HacpRequest {
  const fields = new Map<string, string>();
  for (const pair of body.split('&', MAX_FIELDS)) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    fields.set(unescapeText(pair.slice(0, at)).trim().toLowerCase(), unescapeText(pair.slice(at + 1)));
  }
  return {
    command: (fields.get('command') ?? '').trim().toLowerCase(),
    sessionId: (fields.get('session_id') ?? '').trim(),
    data: fields.get('aicc_data') ?? '',
  };
}

/** A response. @param data for `GetParam` */
export function hacpResponse(result: keyof typeof HACP_ERRORS, data: string | null = null): string {
  const { code, text } = HACP_ERRORS[result];
  const lines = [`error=${code}`, `error_text=${text}`, 'version=4.0'];
  return `${[...lines, ...(data === null ? [] : [`aicc_data=${data}`])].join('\r\n')}\r\n`;
}

/** The groups of AICC data, by name in lower case, as lists of lines. @throws {ProblemError} `content-too-large` */
export function readGroups(data: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of linesOf(data)) {
    const name = line.length > MAX_GROUP_LENGTH ? undefined : GROUP.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined && GROUPS.includes(name)) {
      lines = groups.get(name) ?? [];
      groups.set(name, lines);
    } else lines?.push(line);
  }
  return groups;
}

/**
 * The values of a group, by name in lower case. Lines that start with a semicolon are comments.
 * @throws {ProblemError} `content-too-large`
 */
export function readValues(lines: readonly string[] = []): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of lines) {
    const pair = line.trimStart().startsWith(';') ? null : PAIR.exec(line);
    if (pair === null) continue;
    values.set(pair[1]!.toLowerCase(), pair[2]!.trim());
    if (values.size > MAX_VALUES) throw tooLarge(`A group has more than ${MAX_VALUES} values`);
  }
  return values;
}

/**
 * The rows of comma-separated data. Keys are the column names in the first row, in lower case.
 * @throws {ProblemError} `content-too-large`
 */
export function readRows(data: string, limit: number): Record<string, string>[] {
  const [head = '', ...rows] = linesOf(data).filter(
    (line) => line.length <= MAX_ROW_LENGTH && line.trim() !== '',
  );
  const names = readCells(head).map((name) => name.toLowerCase());
  const taken = rows.slice(0, limit);
  if (names.length * taken.length > MAX_CELLS) throw tooLarge(`The rows have more than ${MAX_CELLS} cells`);
  return taken.map((row) => {
    const cells = readCells(row);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}

function linesOf(data: string): string[] {
  const lines = data.split(LINE_END, MAX_LINES + 1);
  if (lines.length <= MAX_LINES) return lines;
  throw tooLarge(`The data has more than ${MAX_LINES} lines`);
}

function tooLarge(detail: string): ProblemError {
  return new ProblemError('content-too-large', detail);
}

/** The cells of a row. Commas separate them; in a quoted cell, two quotation marks mean one. */
function readCells(line: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at >= 0 && cells.length < MAX_COLUMNS; ) {
    const quoted = readQuoted(line, at);
    const comma = line.indexOf(',', quoted?.end ?? at);
    cells.push(quoted?.text ?? line.slice(at, comma < 0 ? undefined : comma).trim());
    at = comma < 0 ? -1 : comma + 1;
  }
  return cells;
}

/** The quoted text at a position, after any blanks; null if there is none. */
function readQuoted(line: string, from: number): { text: string; end: number } | null {
  let at = from;
  while (line[at] === ' ' || line[at] === '\t') at += 1;
  if (line[at] !== '"') return null;
  const start = at + 1;
  for (let mark = line.indexOf('"', start); mark >= 0; mark = line.indexOf('"', mark + 2)) {
    if (line[mark + 1] !== '"') return { text: line.slice(start, mark).replaceAll('""', '"'), end: mark + 1 };
  }
  return null;
}

/**
 * Decodes percent-encoded text: as UTF-8 if it is valid, else as Latin-1. Invalid escapes are kept. Many courses encode
 * with `escape()` of JavaScript, which writes code units beyond Latin-1 like `%u0442` and spaces as `%20`, and keeps `+`.
 * jQuery and many courses replace each `%20` by `+` afterwards, so a `+` is a plus only if the text has a `%20`.
 * @param text one character per byte
 */
function unescapeText(text: string): string {
  if (CODE_UNIT.test(text) && isAscii(Buffer.from(text, 'latin1'))) {
    return unescape(text.includes('%20') ? text : text.replaceAll('+', ' ')).toWellFormed();
  }
  return decodePercent(text);
}
