import type { Database } from '../../database/database.ts';
import { isObject } from '../../is-object.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { DocumentKind, LrsDocument } from './documents/document.ts';
import { assertDocumentSize, assertJsonLimits, MAX_DOCUMENT_MEMBERS } from './documents/document-content.ts';
import { DocumentService } from './documents/document-service.ts';
import { isJsonType, type LrsRequest, type LrsResponse, readJson, versionOf } from './lrs-request.ts';
import { assertMethod, assertRead, isRead, type LrsScope, queryOf } from './lrs-scope.ts';
import { selectAgentNames, selectDefinitions, selectLatestDefinition } from './statements/activity-store.ts';
import { isSameAgent } from './statements/statement-form.ts';
import { agentIdentity } from './statements/statement-index.ts';
import { StatementReader } from './statements/statement-reader.ts';
import { json, respondToStatements } from './statements/statement-resource.ts';
import { StatementService } from './statements/statement-service.ts';
import { StatementTimes } from './statements/statement-times.ts';
import type { JsonObject, XapiVersion } from './xapi-types.ts';

/** Maximum length of a document's id, because databases limit the length of indexed values. */
const MAX_DOCUMENT_ID_LENGTH = 500;
/** A `Content-Type` that can safely be sent back in a header field. */
const CONTENT_TYPE = /^[\x20-\x7e]{1,255}$/;
/** The supported versions. */
const VERSIONS = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '2.0.0'];

/**
 * The learning record store: the resources of the Experience API 1.0.3, and of 2.0 if the client specifies it.
 * Authentication happens elsewhere; each request comes with the scope of its credential.
 */
export class Lrs {
  readonly statements: StatementService;
  readonly stored: StatementReader;
  readonly documents: DocumentService;
  readonly #database: Database;

  constructor(options: { database: Database; now: () => number }) {
    this.#database = options.database;
    const { reader } = options.database;
    const times = new StatementTimes({ reader, now: options.now });
    this.statements = new StatementService({ database: options.database, times });
    this.stored = new StatementReader({ reader, times });
    this.documents = new DocumentService(options);
  }

  /** The response to `about`, which is public. */
  about(): LrsResponse {
    return json({ version: VERSIONS });
  }

  /**
   * Handles a request and returns the response.
   * @throws {ProblemError}
   */
  async respond(scope: LrsScope, request: LrsRequest): Promise<LrsResponse> {
    scope.launch?.assertOpen?.({ storesStatements: storesStatements(request) });
    assertMethod(scope, request.method);
    const version = requestedVersion(scope, request);
    switch (request.resource) {
      case 'statements':
        return await respondToStatements(
          { statements: this.statements, stored: this.stored, database: this.#database },
          scope,
          request,
          version,
        );
      case 'activities/state':
        return await this.#documents(scope, request, version, 'state');
      case 'activities/profile':
        return await this.#documents(scope, request, version, 'activity-profile');
      case 'agents/profile':
        return await this.#documents(scope, request, version, 'agent-profile');
      case 'activities':
        return await this.#activity(scope, request);
      case 'agents':
        return await this.#person(scope, request);
      default:
        throw new ProblemError('not-found', 'The Experience API has no such resource');
    }
  }

  async #documents(
    scope: LrsScope,
    request: LrsRequest,
    version: XapiVersion,
    kind: DocumentKind,
  ): Promise<LrsResponse> {
    const { method, headers } = request;
    const query = queryOf(request, scope);
    const isState = kind === 'state';
    const collection = {
      kind,
      activityId: kind === 'agent-profile' ? null : query.requiredIri('activityId'),
      agent: kind === 'activity-profile' ? null : query.requiredAgent('agent'),
      registration: isState ? query.uuid('registration') : null,
    };
    const isReading = isRead(method);
    const mayBeAll = isReading || (method === 'DELETE' && isState);
    const idName = isState ? 'stateId' : 'profileId';
    const id = mayBeAll ? query.text(idName) : query.required(idName);
    if (id !== null && id.length > MAX_DOCUMENT_ID_LENGTH) {
      query.refuse(idName, `must have at most ${MAX_DOCUMENT_ID_LENGTH} characters`);
    }
    const since = isReading && id === null ? query.moment('since') : null;
    query.end();
    const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
    if (isReading) {
      if (id === null) return json(await this.documents.list(scope, collection, since));
      return toResponse(await this.documents.read(scope, collection, id), conditions.ifNoneMatch);
    }
    if (method === 'DELETE') {
      if (id === null) await this.documents.deleteAll(scope, collection);
      else await this.documents.delete(scope, collection, id, conditions);
      return { status: 204, headers: {}, body: null };
    }
    const contentType = headers['content-type'] ?? 'application/octet-stream';
    if (!CONTENT_TYPE.test(contentType)) {
      throw new ProblemError('invalid-request', 'The Content-Type must have 1 to 255 ASCII characters');
    }
    assertDocumentSize(request.body);
    const merges = method === 'POST';
    if (isJsonType(contentType)) {
      // Stored byte for byte, so nothing has to be replaced.
      if (merges) assertObject(readJson(request.body, MAX_DOCUMENT_MEMBERS, 'keep'));
      else assertJsonLimits(request.body);
    }
    await this.documents.write(scope, {
      collection,
      id: id ?? '',
      contentType,
      content: request.body,
      conditions,
      need: merges || (isState && version === '1.0.3') ? 'none' : isState ? 'to replace' : 'always',
      merges,
    });
    return { status: 204, headers: {}, body: null };
  }

  async #activity(scope: LrsScope, request: LrsRequest): Promise<LrsResponse> {
    assertRead(request.method);
    const query = queryOf(request, scope);
    const id = query.requiredIri('activityId');
    query.end();
    const definition = await this.#definition(scope, id);
    return json({ objectType: 'Activity', id, ...(definition === undefined ? {} : { definition }) });
  }

  /** API clients get the definition that API clients sent; without one, the latest that a course sent. */
  async #definition({ launch }: LrsScope, activityId: string): Promise<JsonObject | undefined> {
    const { reader } = this.#database;
    const sender = launch === null ? null : launch.registrationId;
    if (launch !== null && sender === null) return undefined;
    const known = await selectDefinitions(reader, new Map([[sender, new Set([activityId])]]));
    const definition = known.get(sender)?.get(activityId);
    return definition ?? (launch === null ? await selectLatestDefinition(reader, activityId) : undefined);
  }

  async #person(scope: LrsScope, request: LrsRequest): Promise<LrsResponse> {
    assertRead(request.method);
    const query = queryOf(request, scope);
    const agent = query.requiredAgent('agent');
    query.end();
    const identity = agentIdentity(agent);
    if (identity === null) throw new ProblemError('invalid-request', 'The agent has no identifier');
    if (scope.launch !== null && !isSameAgent(agent, scope.launch.actor)) {
      throw new ProblemError('forbidden', 'The agent is not the learner of this launch');
    }
    const known =
      scope.launch === null
        ? await selectAgentNames(this.#database.reader, identity)
        : [scope.launch.actor.name];
    const names = [...new Set([...known, agent.name])].filter((name) => typeof name === 'string');
    return json(toPerson(agent, names));
  }
}

function toPerson(agent: JsonObject, names: readonly string[]): JsonObject {
  const identifiers = ['mbox', 'mbox_sha1sum', 'openid', 'account'].filter((name) => name in agent);
  return {
    objectType: 'Person',
    ...(names.length > 0 ? { name: names } : {}),
    ...Object.fromEntries(identifiers.map((name) => [name, [agent[name]]])),
  };
}

function toResponse(document: LrsDocument, ifNoneMatch: string | undefined): LrsResponse {
  const { contentType, content, etag, updatedAt } = document;
  const headers = {
    ETag: etag,
    ...(updatedAt === null ? {} : { 'Last-Modified': new Date(updatedAt).toUTCString() }),
  };
  if (ifNoneMatch === etag) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, 'Content-Type': contentType }, body: content };
}

/** @throws {ProblemError} `invalid-request` */
function assertObject(value: unknown): void {
  if (isObject(value)) return;
  throw new ProblemError('invalid-request', 'A document that is merged must be a JSON object');
}

/** @throws {ProblemError} `invalid-request` */
function requestedVersion({ launch }: LrsScope, { headers }: LrsRequest): XapiVersion {
  try {
    return versionOf(headers);
  } catch (error) {
    launch?.versionRefused?.(headers['x-experience-api-version'] ?? null);
    throw error;
  }
}

function storesStatements({ method, resource }: LrsRequest): boolean {
  return resource === 'statements' && (method === 'PUT' || method === 'POST');
}
