import { ProblemError } from '../../problems/problem.ts';

/** Requests and answers of HACP, the HTTP protocol of AICC (CMI001, chapter 6). */

/** A request: its command in lower case, the session that it names, and its data. */
export interface HacpRequest {
  command: string;
  sessionId: string;
  data: string;
}

/** What went wrong, as HACP numbers it. */
export const HACP_ERRORS = {
  successful: { code: 0, text: 'Successful' },
  invalidCommand: { code: 1, text: 'Invalid Command' },
  invalidSession: { code: 3, text: 'Invalid Session ID' },
} as const;

/** The groups whose lines are names and values, or free text; other lines in brackets are part of that text. */
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
/** Longer rows are no data of a person. */
const MAX_ROW_LENGTH = 20_000;
/** The columns of rows; CMI001 has tables of eleven. */
const MAX_COLUMNS = 100;
/** The fields of a form; HACP has five. */
const MAX_FIELDS = 100;
/** The lines of one message's data. */
const MAX_LINES = 1_000_000;
/** The longest line that may begin a group. */
const MAX_GROUP_LENGTH = 100;
const GROUP = /^\s*\[([a-z_]+)\]\s*$/i;
const PAIR = /^\s*([A-Za-z_.\d]+)\s*=(.*)$/;
const LINE_END = /\r\n|\r|\n/;

/** Reads a form. Courses of every age send them, with names in any case and escapes in any encoding. */
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

/** An answer. @param data for `GetParam` */
export function hacpAnswer(result: keyof typeof HACP_ERRORS, data: string | null = null): string {
  const { code, text } = HACP_ERRORS[result];
  const lines = [`error=${code}`, `error_text=${text}`, 'version=4.0'];
  return `${[...lines, ...(data === null ? [] : [`aicc_data=${data}`])].join('\r\n')}\r\n`;
}

/** The groups of AICC data by name in lower case, each with its lines. @throws {ProblemError} `content-too-large` */
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

/** The values of a group by name in lower case. Lines that begin with a semicolon are remarks. */
export function readValues(lines: readonly string[] = []): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of lines) {
    const pair = line.trimStart().startsWith(';') ? null : PAIR.exec(line);
    if (pair !== null) values.set(pair[1]!.toLowerCase(), pair[2]!.trim());
  }
  return values;
}

/**
 * The rows of comma-separated data, by the names of its first row in lower case.
 * @throws {ProblemError} `content-too-large`
 */
export function readRows(data: string, limit: number): Record<string, string>[] {
  const [head = '', ...rows] = linesOf(data).filter(
    (line) => line.length <= MAX_ROW_LENGTH && line.trim() !== '',
  );
  const names = readCells(head).map((name) => name.toLowerCase());
  return rows.slice(0, limit).map((row) => {
    const cells = readCells(row);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}

function linesOf(data: string): string[] {
  const lines = data.split(LINE_END, MAX_LINES + 1);
  if (lines.length <= MAX_LINES) return lines;
  throw new ProblemError('content-too-large', `The data has more than ${MAX_LINES} lines`);
}

function readCells(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))/g)) {
    cells.push(quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'));
    if (cells.length === MAX_COLUMNS) break;
  }
  return cells;
}

/** Percent-encoded text: UTF-8 where it is that, else Latin-1. */
function unescapeText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}
