import { READ_METHODS } from '../../../src/http/read-methods.ts';
import { isOfType } from './request-body.ts';

/** A request with which a unit of AICC, cmi5 or xAPI reports something to the service. */
export interface Report {
  method: string;
  url: URL;
  /** As the course gave it to the browser. Undefined if it is in a `Request` and has not been read. */
  body: unknown;
}

/** The paths below a launch's token to which courses report. */
const AICC = /^\/[^/]+\/aicc$/;
const XAPI = /^\/[^/]+\/xapi\//;
const STATEMENTS = /\/xapi\/+statements\/*$/;
/** The verbs with which units say that the learner leaves. They say nothing about what the learner did. */
const LEAVING: ReadonlySet<unknown> = new Set(
  ['exited', 'terminated'].map((verb) => `http://adlnet.gov/expapi/verbs/${verb}`),
);
const PUT_PARAM = 'putparam';
const EXIT_UNIT = 'exitau';
const CORE = 'core';
/** A line that begins a group of AICC data, and a value in a group. */
const GROUP = /^\s*\[([^\]]*)\]/;
const VALUE = /^\s*([^=\s]+)\s*=/;

/** Whether a path below a launch's token is that of AICC messages. */
export function isAicc({ pathname }: URL): boolean {
  return AICC.test(pathname);
}

/**
 * Whether a request reports something, so that its order counts. The service does not count others, such as those for
 * files, and would wait for their numbers.
 */
export function isReport(method: string, url: URL): boolean {
  if (isAicc(url)) return !READ_METHODS.has(method.toUpperCase());
  // A form has its method inside.
  const meant = url.searchParams.get('method') ?? method;
  return !READ_METHODS.has(meant.toUpperCase()) && XAPI.test(url.pathname);
}

/**
 * The subjects of a report: statements, a document, or an AICC command. If it fails, a later report with the same
 * subjects replaces it. Empty for a message that only reads.
 */
export function subjectsOf({ method, url, body }: Report): string[] {
  const { pathname, search, searchParams } = url;
  // A form has its method, its parameters and the document inside.
  const form = searchParams.get('method');
  const isDocument = !isAicc(url) && form === null && !STATEMENTS.test(pathname);
  if (isDocument) return documentSubjects(`${pathname}${search}`, method, body);
  const id = searchParams.get('statementId');
  if (id !== null) return [statement(id)];
  const text = textOf(body);
  // No later report is known to replace it.
  if (text === null) return [`unreadable ${++unreadable}`];
  if (isAicc(url)) return aiccSubjects(text);
  return form === null ? statementSubjects(text) : [`${method} ${text}`];
}

/** Whether a report says only that the learner leaves a cmi5 unit. */
export function endsSession({ body }: Report): boolean {
  try {
    const statements = [JSON.parse(textOf(body) ?? '') as unknown].flat() as { verb: { id: unknown } }[];
    return statements.length > 0 && statements.every(({ verb }) => LEAVING.has(verb.id));
  } catch {
    return false;
  }
}

/** The number of the latest body that cannot be read. */
let unreadable = 0;

function aiccSubjects(text: string): string[] {
  const fields = [...new URLSearchParams(text)].map(([name, value]) => [name.trim().toLowerCase(), value]);
  const command = (Object.fromEntries(fields).command ?? '').trim().toLowerCase();
  if (command === 'getparam') return [];
  if (command === PUT_PARAM) return putParamSubjects(Object.fromEntries(fields).aicc_data ?? '');
  return [command === EXIT_UNIT ? command : text];
}

/** The groups of a `PutParam`, and each value of its group `Core`: the service keeps what a message omits. */
function putParamSubjects(data: string): string[] {
  const subjects = new Set<string>();
  let group = CORE;
  for (const line of data.split(/\r\n|\r|\n/)) {
    const [, begun] = GROUP.exec(line) ?? [];
    const [, name] = VALUE.exec(line) ?? [];
    if (begun !== undefined) group = begun.trim().toLowerCase();
    if (group !== CORE) subjects.add(`${PUT_PARAM} ${group}`);
    else if (begun === undefined && name !== undefined) subjects.add(`${PUT_PARAM} ${name.toLowerCase()}`);
  }
  return subjects.size === 0 ? [PUT_PARAM] : [...subjects];
}

/** A document, or the members that a POST changes: the service keeps the others. */
function documentSubjects(address: string, method: string, body: unknown): string[] {
  if (method.toUpperCase() !== 'POST') return [address];
  const text = textOf(body) ?? `unreadable ${++unreadable}`;
  try {
    const members = Object.keys(JSON.parse(text) as object);
    if (members.length > 0) return members.map((member) => `${partOf(address)}${member}`);
  } catch {
    // It is no JSON.
  }
  return [`${partOf(address)}${text}`];
}

/** The prefix of the subjects of parts. URLs do not contain its last character here. */
export function partOf(subject: string): string {
  return `${subject}#`;
}

/** The ids of the statements in a body. A statement without one, which the service gives it, is only equal to itself. */
function statementSubjects(text: string): string[] {
  try {
    const statements = [JSON.parse(text) as unknown].flat() as { id?: unknown }[];
    return statements.map((each) => statement(typeof each.id === 'string' ? each.id : JSON.stringify(each)));
  } catch {
    return [text];
  }
}

function statement(id: string): string {
  return `statement ${id.toLowerCase()}`;
}

/** The text of a body; null for any other, such as attachments. */
function textOf(body: unknown): string | null {
  if (body === null) return '';
  return typeof body === 'string' || isOfType(body, 'URLSearchParams') ? String(body) : null;
}
