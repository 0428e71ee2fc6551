import { MIB } from '../../../bytes.ts';
import type { Database } from '../../../database/database.ts';
import { acceptedLanguages } from '../../../http/accepted-languages.ts';
import { invalidInput, ProblemError } from '../../../problems/problem.ts';
import { formatDateTime } from '../../../time/date-time.ts';
import { inSlices } from '../../../time/time-slices.ts';
import { isJsonType, type LrsRequest, type LrsResponse, type QueryReader, readJson } from '../lrs-request.ts';
import { type LrsScope, queryOf } from '../lrs-scope.ts';
import { attachmentsOf, MAX_MEMBERS, validStatements } from '../rules/statement-rules.ts';
import type { AttachmentContent, JsonObject, Statement, XapiVersion } from '../xapi-types.ts';
import { selectDefinitions } from './activity-store.ts';
import { hashLike } from './attachment-contents.ts';
import { CanonicalForm } from './canonical-form.ts';
import { type Part, readMultipart, writeMultipart } from './multipart.ts';
import { STATEMENT_FORMATS, type StatementFormat, toIds } from './statement-form.ts';
import { activitiesIn, agentIdentity, type IndexTerm, termOf } from './statement-index.ts';
import { MAX_PAGE_BYTES, type StatementPage, type StatementReader } from './statement-reader.ts';
import type { StatementPlace } from './statement-search-store.ts';
import type { StatementService } from './statement-service.ts';

/** The `statements` resource. */

const MAX_BATCH = 500;
/** Maximum size of the JSON of all statements in a request, in bytes. 500 ordinary statements need a tenth of it. */
const MAX_JSON_BYTES = 8 * MIB;
/** Maximum number of statements on a page, and the default. */
const MAX_LIMIT = 100;
/** Maximum number of languages read from `Accept-Language`. Every text is searched for each of them. */
const MAX_LANGUAGES = 50;
/** The header field with the time up to which every stored statement is visible. */
export const CONSISTENT_THROUGH = 'X-Experience-API-Consistent-Through';
const MULTIPART = /^multipart\/mixed(?:$|[;\s])/i;
const PLACE = /^(\d{1,16})\.(\d{1,16})$/;

/** The dependencies of the resource. */
export interface StatementResourceOptions {
  statements: StatementService;
  stored: StatementReader;
  database: Database;
}

/** Handles a request to `statements`. @throws {ProblemError} */
export async function respondToStatements(
  options: StatementResourceOptions,
  scope: LrsScope,
  request: LrsRequest,
  version: XapiVersion,
): Promise<LrsResponse> {
  switch (request.method) {
    case 'PUT':
    case 'POST':
      return await store(options, scope, request, version);
    case 'GET':
    case 'HEAD':
      return await find(options, scope, request);
    default:
      throw new ProblemError(
        'method-not-allowed',
        'Statements are stored with PUT and POST and read with GET',
        {
          headers: { Allow: 'GET, HEAD, PUT, POST' },
        },
      );
  }
}

async function store(
  { statements: service }: StatementResourceOptions,
  scope: LrsScope,
  request: LrsRequest,
  version: XapiVersion,
): Promise<LrsResponse> {
  const query = queryOf(request, scope);
  if (request.method === 'PUT') query.required('statementId');
  const id = request.method === 'PUT' ? query.uuid('statementId') : null;
  query.end();
  const { value, contents } = readBody(request);
  const isList = Array.isArray(value);
  const values: unknown[] = isList ? value : [value];
  if (values.length > MAX_BATCH) {
    throw new ProblemError('content-too-large', `A request may contain at most ${MAX_BATCH} statements`);
  }
  if (request.method === 'PUT' && isList)
    throw invalidInput([{ pointer: '', detail: 'must be a single statement' }]);
  const statements = await validStatements(values, { isVersion2: version === '2.0.0', isList });
  const [statement] = statements;
  if (id !== null && statement !== undefined) {
    if (statement.id !== undefined && statement.id.toLowerCase() !== id.toLowerCase()) {
      throw invalidInput([{ pointer: '/id', detail: 'must equal the statementId in the query' }]);
    }
    statement.id = id;
  }
  const ids = await service.store(scope, statements, {
    contents: contentsOf(statements, contents),
    version,
  });
  if (request.method === 'PUT') return { status: 204, headers: {}, body: null };
  return json(ids);
}

/** The statements of a body, and the parts that follow them. */
function readBody(request: LrsRequest): { value: unknown; contents: readonly Part[] } {
  const type = request.headers['content-type'] ?? '';
  if (isJsonType(type)) return { value: readStatements(request.body), contents: [] };
  if (!MULTIPART.test(type)) {
    throw new ProblemError('invalid-request', 'The Content-Type must be application/json or multipart/mixed');
  }
  const [first, ...contents] = readMultipart(type, request.body);
  if (first === undefined || !isJsonType(first.headers['content-type'] ?? '')) {
    throw new ProblemError('invalid-request', 'The first part of the body must be application/json');
  }
  return { value: readStatements(first.content), contents };
}

/** @throws {ProblemError} `content-too-large`, `malformed-json`, `invalid-request` */
function readStatements(text: Buffer): unknown {
  if (text.length > MAX_JSON_BYTES) {
    throw new ProblemError(
      'content-too-large',
      `The statements of a request have at most ${MAX_JSON_BYTES} bytes of JSON, without their attachments`,
    );
  }
  return readJson(text, MAX_MEMBERS, 'replace');
}

/** The contents of attachments, taken from the parts. @throws {ProblemError} `invalid-request` */
function contentsOf(statements: readonly Statement[], parts: readonly Part[]): AttachmentContent[] {
  const attachments = new Map(
    // The first one with a hash wins.
    statements
      .flatMap(attachmentsOf)
      .map((each) => [each.sha2.toLowerCase(), each] as const)
      .toReversed(),
  );
  return parts.map(({ headers, content }) => {
    const sha2 = headers['x-experience-api-hash']?.toLowerCase();
    if (headers['content-transfer-encoding']?.toLowerCase() !== 'binary') {
      throw new ProblemError('invalid-request', 'A part has no Content-Transfer-Encoding: binary');
    }
    if (sha2 === undefined) throw new ProblemError('invalid-request', 'A part has no X-Experience-API-Hash');
    const attachment = attachments.get(sha2);
    if (attachment === undefined)
      throw new ProblemError('invalid-request', 'A part does not belong to any attachment');
    if (hashLike(sha2, content) !== sha2) {
      throw new ProblemError('invalid-request', 'A part does not match its X-Experience-API-Hash');
    }
    return { sha2, contentType: attachment.contentType, content };
  });
}

async function find(
  { stored, database }: StatementResourceOptions,
  scope: LrsScope,
  request: LrsRequest,
): Promise<LrsResponse> {
  const query = queryOf(request, scope);
  const ids = { plain: query.uuid('statementId'), voided: query.uuid('voidedStatementId') };
  const withAttachments = query.flag('attachments');
  const format = (query.oneOf('format', STATEMENT_FORMATS) ?? 'exact') as StatementFormat;
  const languages = acceptedLanguages(request.headers['accept-language'], MAX_LANGUAGES);
  const forms = async (page: StatementPage) => await inFormat(page, { format, languages, database, scope });
  // This time is read first, because statements stored during the query may be missing from the page.
  const consistent = { [CONSISTENT_THROUGH]: await consistentThrough(stored) };

  if (ids.plain !== null || ids.voided !== null) {
    if (ids.plain !== null && ids.voided !== null) {
      throw invalidInput([{ pointer: '/query/voidedStatementId', detail: 'excludes statementId' }]);
    }
    query.end();
    const id = ids.plain ?? ids.voided ?? '';
    const page = await stored.read(scope, id, { isVoided: ids.voided !== null, withAttachments });
    const [statement] = await forms(page);
    const headers = {
      ...consistent,
      'Last-Modified': new Date(page.statements[0]!.stored).toUTCString(),
    };
    return withParts(statement, withAttachments ? page.attachments : null, headers);
  }

  const filters = readFilters(query);
  const ascending = query.flag('ascending');
  const since = query.moment('since');
  const until = query.moment('until');
  const requested = query.count('limit') ?? 0;
  const after = readPlace(query.text('after'));
  query.end();
  const page = await stored.list(scope, {
    terms: filters,
    since,
    until,
    ascending,
    limit: requested === 0 ? MAX_LIMIT : Math.min(requested, MAX_LIMIT),
    after,
    withAttachments,
  });
  const result = {
    statements: await forms(page),
    more: page.next === null ? '' : moreOf(scope, request, page.next),
  };
  return withParts(result, withAttachments ? page.attachments : null, consistent);
}

/** The value of {@link CONSISTENT_THROUGH}. */
export async function consistentThrough(stored: StatementReader): Promise<string> {
  return formatDateTime(await stored.consistentThrough());
}

function readFilters(query: QueryReader): IndexTerm[] {
  const terms: IndexTerm[] = [];
  const agent = query.agent('agent');
  const activity = query.iri('activity');
  const verb = query.iri('verb');
  const registration = query.uuid('registration');
  const anyActivity = query.flag('related_activities');
  const anyAgent = query.flag('related_agents');
  const identity = agentIdentity(agent);
  if (identity !== null) terms.push({ kind: anyAgent ? 'any-agent' : 'agent', term: termOf(identity) });
  else if (agent !== null && 'objectType' in agent) {
    throw invalidInput([
      { pointer: '/query/agent', detail: 'must be an agent or a group with an identifier' },
    ]);
  }
  if (activity !== null) {
    terms.push({ kind: anyActivity ? 'any-activity' : 'activity', term: termOf(activity) });
  }
  if (verb !== null) terms.push({ kind: 'verb', term: termOf(verb) });
  if (registration !== null) terms.push({ kind: 'registration', term: termOf(registration.toLowerCase()) });
  return terms;
}

function readPlace(text: string | null): StatementPlace | null {
  if (text === null) return null;
  const parts = PLACE.exec(text);
  if (parts === null)
    throw invalidInput([{ pointer: '/query/after', detail: 'must come from the more member of a response' }]);
  return { storedAt: Number(parts[1]), id: Number(parts[2]) };
}

function moreOf(scope: LrsScope, request: LrsRequest, next: StatementPlace): string {
  const query = new URLSearchParams([...request.query]);
  query.set('after', `${next.storedAt}.${next.id}`);
  return `${scope.path}/statements?${query}`;
}

/** Converts statements to the requested format. */
async function inFormat(
  page: StatementPage,
  options: { format: StatementFormat; languages: readonly string[]; database: Database; scope: LrsScope },
): Promise<JsonObject[]> {
  const { format, languages, database, scope } = options;
  const { statements, registrationIds } = page;
  if (format === 'exact') return [...statements];
  if (format === 'ids') return statements.map((statement) => toIds(statement));
  const known = await selectDefinitions(database.reader, await mentionedIn(page, scope));
  const form = new CanonicalForm({ languages, maxLength: MAX_PAGE_BYTES });
  return await Array.fromAsync(inSlices(statements.entries()), ([place, statement]) => {
    const own = known.get(registrationIds[place] ?? null);
    return form.of(statement, (id) => own?.get(id) ?? known.get(null)?.get(id));
  });
}

/**
 * The activities of a page, by who may have sent their definitions: the registration of the statement, and for API
 * clients also other API clients.
 */
async function mentionedIn(
  { statements, registrationIds }: StatementPage,
  scope: LrsScope,
): Promise<Map<string | null, Set<string>>> {
  const mentioned = new Map<string | null, Set<string>>();
  const all = new Set<string>();
  for await (const [place, statement] of inSlices(statements.entries())) {
    const registrationId = registrationIds[place] ?? null;
    const own = mentioned.get(registrationId) ?? new Set();
    if (registrationId !== null) mentioned.set(registrationId, own);
    for (const { id } of activitiesIn(statement)) {
      own.add(id as string);
      all.add(id as string);
    }
  }
  // Last, so that these are omitted first when the definitions are too large.
  if (scope.launch === null) mentioned.set(null, all);
  return mentioned;
}

/** JSON, followed by the attachments if the client requested them. */
function withParts(
  value: unknown,
  attachments: readonly AttachmentContent[] | null,
  headers: Record<string, string>,
): LrsResponse {
  if (attachments === null) return json(value, headers);
  const { contentType, body } = writeMultipart([
    { headers: { 'Content-Type': 'application/json' }, content: Buffer.from(JSON.stringify(value)) },
    ...attachments.map(({ sha2, contentType: type, content }) => ({
      headers: {
        'Content-Type': type,
        'Content-Transfer-Encoding': 'binary',
        'X-Experience-API-Hash': sha2,
      },
      content,
    })),
  ]);
  return { status: 200, headers: { ...headers, 'Content-Type': contentType }, body };
}

/** A successful response with JSON. */
export function json(value: unknown, headers: Record<string, string> = {}): LrsResponse {
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  };
}
